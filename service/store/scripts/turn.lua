-- A turn of the rolls worker: commit what it resolved, end those jobs, and start the next ones, in one trip.
-- The books are those that RQ 3.0 keeps of a started and of a finished job. ROLL_JOB stands before this.
-- KEYS: the queue, its intermediate list, RQ's started jobs, the worker, the worker's executions.
-- ARGV: the request {turn, worker, first, most, now, time, ttl, ended: [[job, execution]], seconds, commits}, then
-- the records of those commits. `first` is a job that was popped into the intermediate list, or ''.
-- Returns {started, other, kept}: the jobs that were started, as {job, execution, record, campaign, seed, hidden
-- seed, challenge}; a job that is no plain roll's, left in the intermediate list, as {job, fields}; and those of
-- `ended` that others depend on, left as they were, for RQ to end.
local ask = cjson.decode(ARGV[1])
local QUEUE, INTERMEDIATE, STARTED, WORKER, EXECUTIONS = unpack(KEYS)
local job = cjson.decode(ROLL_JOB)
local started, sessions = {}, {}

local function campaign_and_seeds(session)
  local found = sessions[session]
  if not found then
    found = redis.call('HMGET', 'tb:session:' .. session, 'campaign', 'seed', 'hidden_seed')
    sessions[session] = found
  end
  return found
end

-- What it takes to resolve a roll; '' stands for what there is not.
local function deliver(id, execution)
  local session = campaign_and_seeds(string.match(id, '^[^-]+'))
  local record = redis.call('GET', 'tb:roll:' .. id) or ''
  local challenge = string.match(record, '"answers":"([^"]+)"')
  started[#started + 1] = {id, execution, record, session[1] or '', session[2] or '', session[3] or '',
    challenge and redis.call('GET', 'tb:roll:' .. challenge) or ''}
end

-- Whether a job is the one that this service wrote, with nothing in it that RQ would have to see to.
local function is_plain(id, fields)
  if #fields ~= #job.fields + 8 then -- and data, description, created_at, enqueued_at
    return false
  end
  local found = {}
  for place = 1, #fields, 2 do
    found[fields[place]] = fields[place + 1]
  end
  for place = 1, #job.fields, 2 do
    if found[job.fields[place]] ~= job.fields[place + 1] then
      return false
    end
  end
  local call = string.gsub(job.call, 'ROLL', id)
  return found.data ~= nil and #found.data == #call + 11 and string.sub(found.data, 8, -5) == call
end

local marks, members = {}, {}

local function execution_of(place)
  return ask.turn .. string.format('%02d', place)
end

local function start(id)
  local execution = execution_of(#marks / 2)
  local member = id .. ':' .. execution
  local now = string.format('%.3f', ask.now / 1000)
  redis.call('HSET', 'rq:execution:' .. member, 'id', execution, 'job_id', id, 'created_at', now,
    'last_heartbeat', now, 'worker_name', ask.worker)
  redis.call('EXPIRE', 'rq:execution:' .. member, ask.ttl)
  -- RQ lets this expire as well; here the end of the turn, or the sweeper, deletes it.
  redis.call('ZADD', 'rq:executions:' .. id, string.format('%.3f', ask.now / 1000 + ask.ttl + 60), execution)
  redis.call('HSET', 'rq:job:' .. id, 'status', 'started', 'worker_name', ask.worker, 'started_at', ask.time,
    'last_heartbeat', ask.time)
  marks[#marks + 1] = string.format('%.3f', ask.now / 1000 + ask.ttl)
  marks[#marks + 1] = member
  members[#members + 1] = member
  deliver(id, execution)
end

-- Commit, end the jobs, count them. Returns the jobs that others depend on, and whether all this was done before:
-- then the answer got lost, and what it said is said again.
local function finish()
  local place = 2
  for _, each in ipairs(ask.commits) do
    commit(each, ARGV, place)
    place = place + #each.rolls
  end
  local turn, count, seconds = unpack(redis.call(
    'HMGET', WORKER, 'turn', 'successful_job_count', 'total_working_time'))
  local dependents, of_others = {}, {}
  for _, done in ipairs(ask.ended) do
    dependents[#dependents + 1] = 'rq:job:' .. done[1] .. ':dependents'
  end
  if redis.call('EXISTS', unpack(dependents)) > 0 then
    for place, key in ipairs(dependents) do
      of_others[ask.ended[place][1]] = redis.call('EXISTS', key) == 1
    end
  end
  local kept, gone, left = {}, {}, {}
  for _, done in ipairs(ask.ended) do
    local id, member = done[1], done[1] .. ':' .. done[2]
    if of_others[id] then
      kept[#kept + 1] = id
    else
      left[#left + 1] = member
      for _, key in ipairs({'job:' .. id, 'execution:' .. member, 'executions:' .. id, 'results:' .. id}) do
        gone[#gone + 1] = 'rq:' .. key
      end
    end
  end
  if turn == ask.turn then
    return kept, true
  end
  if #left > 0 then
    redis.call('DEL', unpack(gone))
    redis.call('ZREM', STARTED, unpack(left))
    redis.call('SREM', EXECUTIONS, unpack(left))
  end
  redis.call('HSET', WORKER, 'turn', ask.turn, 'successful_job_count', (count or 0) + #left,
    'total_working_time', string.format('%.6f', (seconds or 0) + ask.seconds))
  return kept, false
end

-- Say again which jobs this worker has that it does not know of, in turn; and return the one that is no plain roll's.
local function say_again()
  local known, found = {}, {}
  for _, done in ipairs(ask.ended) do
    known[done[1] .. ':' .. done[2]] = true
  end
  for _, member in ipairs(redis.call('SMEMBERS', EXECUTIONS)) do
    if not known[member] then
      found[#found + 1] = {string.match(member, '^(.*):(.*)$')}
    end
  end
  table.sort(found, function(one, other)
    return one[2] < other[2]
  end)
  for _, each in ipairs(found) do
    deliver(each[1], each[2])
  end
  local of_turn, other = string.match(redis.call('HGET', WORKER, 'other') or '', '^(%S+) (%S+)$')
  return of_turn == ask.turn and {other, redis.call('HGETALL', 'rq:job:' .. other)} or {}
end

-- Start the first jobs in the queue, up to one that is no plain roll's: it goes to the intermediate list, as if
-- popped by RQ, and is returned.
local function start_next()
  local queued, taken, other = redis.call('LRANGE', QUEUE, 0, ask.most - 1), 0, {}
  for _, id in ipairs(queued) do
    local fields = redis.call('HGETALL', 'rq:job:' .. id)
    taken = taken + 1
    if #fields > 0 and not is_plain(id, fields) then
      redis.call('RPUSH', INTERMEDIATE, id)
      redis.call('HSET', WORKER, 'other', ask.turn .. ' ' .. id)
      other = {id, fields}
      break
    elseif #fields > 0 then
      start(id)
    end
  end
  if taken > 0 then
    redis.call('LTRIM', QUEUE, taken, -1)
  end
  return other
end

-- Start the job that was popped. Returns it where it is no plain roll's. One that this turn started before (the answer
-- got lost) is delivered again.
local function start_first()
  local fields = redis.call('HGETALL', 'rq:job:' .. ask.first)
  if #fields > 0 and not is_plain(ask.first, fields) then
    local execution = execution_of(0)
    if redis.call('SISMEMBER', EXECUTIONS, ask.first .. ':' .. execution) == 0 then
      return {ask.first, fields}
    end
    deliver(ask.first, execution)
    return {}
  end
  if #fields > 0 then
    start(ask.first)
  end
  redis.call('LREM', INTERMEDIATE, 1, ask.first)
  return {}
end

local kept, repeated, other = {}, false, {}
if #ask.ended > 0 then
  kept, repeated = finish()
end
if repeated then
  other = say_again()
elseif ask.first ~= '' then
  other = start_first()
elseif ask.most > 0 then
  other = start_next()
end
if #members > 0 then
  redis.call('ZADD', STARTED, unpack(marks))
  redis.call('SADD', EXECUTIONS, unpack(members))
end
return {started, other, kept}
