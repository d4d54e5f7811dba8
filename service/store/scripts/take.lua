-- Take a webhook's next due delivery. KEYS: the webhook, its lane. ARGV: the request {webhook, owner, now, lease}.
-- Returns {id, delivery, webhook}; nothing where none is due, or where somebody else has the lane.
local ask = cjson.decode(ARGV[1])
if redis.call('GET', KEYS[2]) ~= ask.owner then
  return {}
end
redis.call('PEXPIRE', KEYS[2], ask.lease)
if tonumber(redis.call('HGET', KEYS[1], 'held_until') or 0) > ask.now then
  return {}
end
local id = redis.call('ZRANGEBYSCORE', KEYS[1] .. ':due', '-inf', string.format('%.0f', ask.now), 'LIMIT', 0, 1)[1]
if not id then
  return {}
end
return {id, redis.call('HGETALL', 'tb:delivery:' .. id), redis.call('HGETALL', KEYS[1])}
