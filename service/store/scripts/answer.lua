-- Accept the other side of a challenge: a roll of its own, in the challenge's session.
-- KEYS: the session, the idempotency key. ARGV as for accept. Returns what accept does.
local ask = cjson.decode(ARGV[1])

local used = redis.call('GET', KEYS[2])
if used then
  local id, body = string.match(used, '^(%S+) (%S+)$')
  if body ~= ask.body then
    return {'key-reused', id, ''}
  end
  local again = id == ask.session .. '-' .. ask.suffix -- this very request, where its answer got lost
  return {again and 'accepted' or 'replayed', id, record_of(ask.session, id)}
end

local waiting = 'tb:session:' .. ask.session .. ':awaiting'
local answer = redis.call('HGET', waiting, ask.challenge)
if redis.call('HGET', KEYS[1], 'campaign') ~= ask.campaign then
  return {'unknown', '', ''}
elseif not answer then
  return {'not-awaiting', '', record_of(ask.session, ask.challenge)}
elseif answer ~= '' then
  return {'answered', '', ''}
end

local id = ask.session .. '-' .. ask.suffix
local record = pending(ask.session, id, ask, ARGV[3])
redis.call('HSET', waiting, ask.challenge, id)
redis.call('SET', KEYS[2], id .. ' ' .. ask.body, 'EX', ask.key_ttl)
if ask.chain == 'open' then -- as in accept
  redis.call('ZADD', 'tb:sessions:open', 'XX', ask.now, ask.session)
end
enqueue(cjson.decode(ARGV[2]), id, 'RPUSH')
return {'accepted', id, record}
