-- Opening and ending sessions: for the scripts that do.

local function session_record(session)
  local title, started, ended, commitment, seed = unpack(redis.call(
    'HMGET', 'tb:session:' .. session, 'title', 'started_at', 'ended_at', 'commitment', 'seed'))
  return '{"id":"' .. session ..
    '","title":' .. (title and cjson.encode(title) or 'null') ..
    ',"started_at":' .. started ..
    ',"ended_at":' .. (ended or 'null') ..
    ',"commitment":"' .. commitment ..
    '","seed":' .. (ended and '"' .. seed .. '"' or 'null') .. '}'
end

-- `fresh` is a new session's {id, title, seed, hidden_seed, commitment, hidden_commitment}.
local function open_session(campaign, fresh, now)
  local ms = next_ms(campaign, now)
  local key = 'tb:session:' .. fresh.id
  redis.call('HSET', key, 'campaign', campaign, 'started_at', ms, 'seed', fresh.seed, 'hidden_seed',
    fresh.hidden_seed, 'commitment', fresh.commitment, 'hidden_commitment', fresh.hidden_commitment)
  if fresh.title ~= '' then
    redis.call('HSET', key, 'title', fresh.title)
  end
  redis.call('HSET', 'tb:campaign:' .. campaign, 'open', fresh.id)
  redis.call('ZADD', 'tb:campaign:' .. campaign .. ':sessions', ms, fresh.id)
  redis.call('ZADD', 'tb:sessions:open', now, fresh.id)
  append(campaign, fresh.id, 'session', session_record(fresh.id), ms)
  announce(campaign, 'session.started', fresh.id, 'everyone', now)
end

-- A challenge that nobody has answered is closed with what `await` put by for that.
local function close_unanswered(campaign, session, id, now)
  local closing = redis.call('HMGET', 'tb:roll:' .. id .. ':unanswered', 'record', 'audiences', 'webhooks')
  local record = '{"resolved_at":' .. string.format('%.0f', now) .. ',' .. closing[1]
  settle(campaign, session, id, record, cjson.decode(closing[2]), closing[3] or '', now)
  tally('tb:session:' .. session .. ':tallies')
  redis.call('DEL', 'tb:roll:' .. id, 'tb:roll:' .. id .. ':unanswered')
  redis.call('HDEL', 'tb:session:' .. session .. ':awaiting', id)
end

local function end_session(campaign, session, now)
  local challenges = redis.call('HGETALL', 'tb:session:' .. session .. ':awaiting')
  for place = 1, #challenges, 2 do
    if challenges[place + 1] == '' then
      close_unanswered(campaign, session, challenges[place], now)
    end
  end
  local ms = next_ms(campaign, now)
  redis.call('HSET', 'tb:session:' .. session, 'ended_at', ms)
  redis.call('HDEL', 'tb:campaign:' .. campaign, 'open')
  redis.call('ZREM', 'tb:sessions:open', session)
  redis.call('ZADD', 'tb:sessions:unpacked', ms, session)
  append(campaign, session, 'session', session_record(session), ms)
  announce(campaign, 'session.ended', session, 'everyone', now)
end

local function is_idle(session, idle_since)
  return tonumber(redis.call('ZSCORE', 'tb:sessions:open', session) or 0) < idle_since
end

-- The campaign's open session, nil where there is none; one that has been idle for too long is ended first.
local function open_unless_idle(campaign, now, idle_since)
  local session = redis.call('HGET', 'tb:campaign:' .. campaign, 'open')
  if session and is_idle(session, idle_since) then
    end_session(campaign, session, now)
    return nil
  end
  return session or nil
end
