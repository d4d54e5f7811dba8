-- Send one delivery now: a new one (a test), or one that is in the log, again. KEYS: the webhook.
-- ARGV: the request {webhook, delivery, event, subject, now, again}. Returns 1, or 0 where it is unknown.
local ask = cjson.decode(ARGV[1])
local key = 'tb:delivery:' .. ask.delivery
local now, at_once = string.format('%.0f', ask.now), string.format('%.0f', ask.now - 60000)
if redis.call('EXISTS', KEYS[1]) == 0 or (ask.again and redis.call('HGET', key, 'webhook') ~= ask.webhook) then
  return 0
end
schedule(ask.webhook, ask.delivery, ask.event, ask.subject, now, at_once)
redis.call('HINCRBY', key, 'asked', 1) -- goes out though the webhook be switched off
if ask.again then
  redis.call('HSET', key, 'status', 'pending', 'next_at', now)
  redis.call('HDEL', key, 'step', 'put_off', 'settled_at')
  redis.call('ZREM', 'tb:webhook:' .. ask.webhook .. ':settled', ask.delivery)
  redis.call('ZADD', 'tb:webhook:' .. ask.webhook .. ':due', at_once, ask.delivery)
  enqueue(cjson.decode(DELIVERY_JOB), ask.delivery, 'RPUSH')
end
plan(ask.webhook)
return 1
