-- Writing to a session's stream: for the scripts that do. Only the keys that the caller knows are declared in
-- KEYS; those made here from ids found on the way are not, as a single Redis is the target, not a cluster.

-- An event's id is the ms of its writing, moved on where that is taken: ids rise strictly in a campaign, and
-- none shows that another (hidden) roll came in the same ms. Returns it, and the campaign's open session.
local function next_ms(campaign, now)
  local key = 'tb:campaign:' .. campaign
  local last, open = unpack(redis.call('HMGET', key, 'last_ms', 'open'))
  local ms = string.format('%.0f', math.max(now, tonumber(last or 0) + 1))
  redis.call('HSET', key, 'last_ms', ms)
  return ms, open
end

local function append(campaign, session, event, record, ms)
  redis.call('XADD', 'tb:session:' .. session .. ':stream', ms .. '-0', 'e', event, 'r', record)
  redis.call('PUBLISH', 'tb:live', '{"campaign":"' .. campaign .. '","id":"' .. ms .. '-0","event":"' .. event ..
    '","record":' .. record .. '}')
end

-- Note that a session got a roll after a newer one had started. An open one did not; `open` is the campaign's.
local function note_if_late(campaign, session, open)
  if open == session or redis.call('HEXISTS', 'tb:session:' .. session, 'ended_at') == 0 then
    return
  end
  local newest = redis.call('ZREVRANGE', 'tb:campaign:' .. campaign .. ':sessions', 0, 0)[1]
  if newest ~= session then
    redis.call('SADD', 'tb:campaign:' .. campaign .. ':late', session)
  end
end

-- Put a roll that is pending (or awaiting) no more into the ledger; its tb:roll is the caller's to delete.
-- `audiences` is a list, `webhooks` the audience of webhooks.
local function settle(campaign, session, id, record, audiences, webhooks, now)
  local ms, open = next_ms(campaign, now)
  append(campaign, session, 'roll', record, ms)
  announce(campaign, 'roll.resolved', id, webhooks, tonumber(ms))
  redis.call('HSET', 'tb:session:' .. session .. ':index', string.sub(id, #session + 2), ms)
  for _, audience in ipairs(audiences) do
    redis.call('HINCRBY', 'tb:session:' .. session .. ':counts', audience, 1)
  end
  if redis.call('ZREM', 'tb:pending', id) == 0 then
    redis.call('ZREM', 'tb:stuck', id)
  end
  note_if_late(campaign, session, open)
end

-- The record of a roll wherever it is, '' where there is none.
local function record_of(session, id)
  local waiting = redis.call('GET', 'tb:roll:' .. id)
  if waiting then
    return waiting
  end
  local ms = redis.call('HGET', 'tb:session:' .. session .. ':index', string.sub(id, #session + 2))
  local entry = ms and redis.call('XRANGE', 'tb:session:' .. session .. ':stream', ms .. '-0', ms .. '-0')[1]
  return entry and entry[2][4] or ''
end
