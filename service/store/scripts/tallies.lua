-- Moving a session's tallies: for the scripts that do. What is kept there: service/tallying.py.

-- The member for a name in a field: itself, or 0 for one beyond the first so many of that list; and the list with it
-- where it is new there. `known` is the list so far.
local function member(known, name, most)
  known = known or '\n'
  if string.find(known, '\n' .. name .. '\n', 1, true) then
    return name
  end
  local _, lines = string.gsub(known, '\n', '')
  if lines > most then
    return '0'
  end
  return name, known .. name .. '\n'
end

local function whole(number)
  return string.format('%.0f', number)
end

local function counted(kept, margin)
  local n, m, s, q = string.match(kept or '0 0 0 0', '^(%S+) (%S+) (%S+) (%S+)$')
  if margin then
    m, s, q = m + 1, s + margin, q + margin * margin
  end
  return whole(n + 1) .. ' ' .. whole(m) .. ' ' .. whole(s) .. ' ' .. whole(q)
end

local function with_faces(kept, die)
  local counts = {}
  for count in string.gmatch(kept or string.rep('0 ', die.faces), '%S+') do
    counts[#counts + 1] = tonumber(count)
  end
  for _, value in ipairs(die.values) do
    counts[value] = counts[value] + 1
  end
  for face, count in ipairs(counts) do
    counts[face] = whole(count)
  end
  return table.concat(counts, ' ')
end

local function with_result(kept, result)
  local length, first, prefix, last, suffix, successes, failures =
    string.match(kept or ('0 ' .. result .. ' 0 ' .. result .. ' 0 0 0'), '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+)$')
  suffix = last == result and suffix + 1 or 1
  if first == result and tonumber(prefix) == tonumber(length) then
    prefix = prefix + 1
  end
  if result == 's' then
    successes = math.max(successes, suffix)
  elseif result == 'f' then
    failures = math.max(failures, suffix)
  end
  return whole(length + 1) .. ' ' .. first .. ' ' .. whole(prefix) .. ' ' .. result .. ' ' .. whole(suffix) .. ' ' ..
    whole(successes) .. ' ' .. whole(failures)
end

-- The least likely come first; equally likely ones by their ids, so that the same are kept in whatever order they came.
local function with_moment(kept, chance, roll, most)
  local moments, placed = {}, false
  for moment in string.gmatch(kept or '', '[^;]+') do
    local theirs, other = string.match(moment, '^(%S+) (%S+)$')
    theirs = tonumber(theirs) - tonumber(chance)
    if not placed and (theirs > 0 or (theirs == 0 and roll < other)) then
      moments[#moments + 1] = chance .. ' ' .. roll
      placed = true
    end
    moments[#moments + 1] = moment
  end
  if not placed then
    moments[#moments + 1] = chance .. ' ' .. roll
  end
  return table.concat(moments, ';', 1, math.min(#moments, most))
end

-- A change that is worked out once for each value that it meets.
local function once_each(how)
  local known = {}
  return function(kept)
    local value = kept or ''
    known[value] = known[value] or how(kept)
    return known[value]
  end
end

-- The fields that a roll moves, and how each changes.
local function changes_of(move, actor, skill)
  local whose = move.owner .. ',' .. actor
  local fields, change = {}, {}
  local function moves(field, how)
    fields[#fields + 1] = field
    change[#change + 1] = how
  end
  moves('["c",' .. whose .. ',' .. move.action .. ',' .. skill .. ',' .. move.result .. ']', function(kept)
    return counted(kept, move.margin)
  end)
  for _, die in ipairs(move.dice) do
    moves('["d",' .. whose .. ',' .. die.die .. ']', function(kept)
      return with_faces(kept, die)
    end)
  end
  -- Runs and moments are kept by scope, and by user with and without an actor: what is kept there mostly reads the
  -- same, and is worked out once then.
  local result = once_each(function(kept)
    return with_result(kept, move.run)
  end)
  local moment = once_each(function(kept)
    return with_moment(kept, move.chance, move.roll, move.moments)
  end)
  for _, scope in ipairs(move.run ~= '' and move.scopes or {}) do
    local run = '["r","' .. scope .. '",' .. move.user
    moves(run .. ']', result)
    moves(run .. ',' .. actor .. ']', result)
    if move.chance then
      local kind = move.run == 's' and 'b' or 'w'
      moves('["' .. kind .. '","' .. scope .. '",' .. move.user .. ',' .. actor .. ']', moment)
    end
  end
  return fields, change
end

-- Read fields of the tallies in `key`. What is packed counts as nothing: what is begun here is incomplete, and made
-- anew from the ledger.
local function kept_in(key, fields)
  local found = redis.pcall('HMGET', key, unpack(fields))
  if found.err then
    redis.call('DEL', key)
    return redis.call('HMGET', key, unpack(fields))
  end
  return found
end

-- Add a roll to the tallies in `key`; `move` is nil for one that has nothing to count.
local function tally(key, move)
  if type(move) ~= 'table' then
    local found = kept_in(key, {'t'})
    redis.call('HSET', key, 't', whole((found[1] or 0) + 1))
    return
  end
  -- All in one read, as if both names had their place; where one has not, the fields are others.
  local actors, skills = '["a",' .. move.owner .. ']', '["s",' .. move.owner .. ']'
  local fields, change = changes_of(move, move.actor, move.skill)
  local found = kept_in(key, {'t', actors, skills, unpack(fields)})
  local moved, first = {'t', whole((found[1] or 0) + 1)}, 3
  local actor, all_actors = move.actor, nil
  if actor ~= 'null' then
    actor, all_actors = member(found[2], actor, move.most_names)
  end
  local skill, all_skills = member(found[3], move.skill, move.most_names)
  if actor ~= move.actor or skill ~= move.skill then
    fields, change = changes_of(move, actor, skill)
    found, first = redis.call('HMGET', key, unpack(fields)), 0
  end
  local function moves(field, value)
    moved[#moved + 1] = field
    moved[#moved + 1] = value
  end
  if all_actors then
    moves(actors, all_actors)
  end
  if all_skills then
    moves(skills, all_skills)
  end
  for place, field in ipairs(fields) do
    moves(field, change[place](found[first + place] or nil))
  end
  local whose = move.owner .. ',' .. actor
  moves('["n",' .. whose .. ']', '[' .. move.user_name .. ',' .. (actor == '0' and 'null' or move.actor_name) .. ']')
  redis.call('HSET', key, unpack(moved))
end
