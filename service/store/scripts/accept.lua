-- Accept a roll: all of it or nothing, in one round trip.
-- KEYS: the campaign, the idempotency key. ARGV: the request, the RQ job, the record but for its first four fields.
-- Returns what came of it, the roll's id and its record.
local ask = cjson.decode(ARGV[1])

local used = redis.call('GET', KEYS[2])
if used then
  local id, session, body = string.match(used, '^(([^ -]+)-%S+) (%S+)$')
  if body ~= ask.body then
    return {'key-reused', id, ''}
  end
  -- This very request, where its answer got lost.
  local again = id == session .. '-' .. ask.suffix
  return {again and 'accepted' or 'replayed', id, record_of(session, id)}
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  return {'unknown-campaign', '', ''}
end

local session = open_unless_idle(ask.campaign, ask.now, ask.idle_since)
if ask.session ~= '' and ask.session ~= session then
  return {'not-open', '', ''}
end
if not session then
  open_session(ask.campaign, ask.fresh, ask.now)
  session = ask.fresh.id
end

local id = session .. '-' .. ask.suffix
local record = pending(session, id, ask, ARGV[3])
redis.call('SET', KEYS[2], id .. ' ' .. ask.body, 'EX', ask.key_ttl)
-- A hidden roll does not renew the clock: the session's end would tell everybody when it was made.
if ask.chain == 'open' then
  redis.call('ZADD', 'tb:sessions:open', ask.now, session)
end
enqueue(cjson.decode(ARGV[2]), id, 'RPUSH')
return {'accepted', id, record}
