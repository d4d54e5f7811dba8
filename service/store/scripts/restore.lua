-- Put a campaign that was written aside in its place: all of it, or nothing. KEYS: the campaign. ARGV: the request,
-- see restoring.py. Returns what came of it.
local ask = cjson.decode(ARGV[1])

local function of_another(campaign)
  return campaign and campaign ~= ask.campaign
end
local function holder_of(token)
  local held = token ~= '' and redis.call('GET', 'tb:token:' .. token)
  return held and cjson.decode(held).campaign or nil
end

if redis.call('EXISTS', KEYS[1]) == 1 and not ask.replace then
  return 'exists'
end
for _, session in ipairs(ask.sessions) do
  if of_another(redis.call('HGET', 'tb:session:' .. session.id, 'campaign')) then
    return 'session-taken'
  elseif redis.call('EXISTS', ask.aside .. 'session:' .. session.id) == 0 then
    return 'lost'
  end
end
if of_another(holder_of(ask.gm[1])) then
  return 'token-taken'
end
for _, player in ipairs(ask.players) do
  if of_another(holder_of(player[3])) then
    return 'token-taken'
  end
end

if redis.call('EXISTS', KEYS[1]) == 1 then
  erase_campaign(ask.campaign)
end
redis.call('HSET', KEYS[1], unpack(ask.fields))
redis.call('ZADD', 'tb:campaigns', ask.created_at, ask.campaign)
redis.call('SET', 'tb:token:' .. ask.gm[1], ask.gm[2])
for _, player in ipairs(ask.players) do
  if player[3] ~= '' then
    redis.call('HSET', KEYS[1] .. ':players', player[1], player[2])
    redis.call('SET', 'tb:token:' .. player[3], player[4])
  end
end
for _, session in ipairs(ask.sessions) do
  local key = 'session:' .. session.id
  for _, part in ipairs({'', ':stream', ':index', ':packed', ':counts', ':tallies'}) do
    if redis.call('EXISTS', ask.aside .. key .. part) == 1 then
      redis.call('RENAME', ask.aside .. key .. part, 'tb:' .. key .. part)
      redis.call('PERSIST', 'tb:' .. key .. part)
    end
  end
  redis.call('ZADD', KEYS[1] .. ':sessions', session.started, session.id)
  if session.ended == '' then
    redis.call('HSET', KEYS[1], 'open', session.id)
    redis.call('ZADD', 'tb:sessions:open', ask.now, session.id)
  elseif redis.call('HEXISTS', 'tb:' .. key, 'packed') == 0 then
    redis.call('ZADD', 'tb:sessions:unpacked', session.ended, session.id)
  end
end
for _, session in ipairs(ask.late) do
  redis.call('SADD', KEYS[1] .. ':late', session)
end
-- What is pending is found, and queued, by the sweeper.
for _, roll in ipairs(ask.unresolved) do
  redis.call('SET', 'tb:roll:' .. roll.id, roll.record)
  if roll.pending then
    redis.call('ZADD', 'tb:pending', ask.now, roll.id)
  else
    redis.call('HSET', 'tb:session:' .. roll.session .. ':awaiting', roll.id, roll.answer)
    redis.call('HSET', 'tb:roll:' .. roll.id .. ':unanswered', unpack(roll.closing))
  end
end
-- Whoever has the file knows the open session's seed, and its numbers may go on elsewhere: here it is over, so that
-- nobody can know or choose its next dice.
local open = redis.call('HGET', KEYS[1], 'open')
if open then
  end_session(ask.campaign, open, tonumber(ask.now))
end
return 'restored'
