-- Forget a webhook with its deliveries. KEYS: the campaign's webhooks, the webhook. ARGV: the webhook's id.
-- Returns 1, or 0 where the campaign has none of that id.
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then
  return 0
end
for _, delivery in ipairs(redis.call('ZRANGE', KEYS[2] .. ':deliveries', 0, -1)) do
  redis.call('DEL', 'tb:delivery:' .. delivery, 'tb:delivery:' .. delivery .. ':attempts')
end
redis.call('DEL', KEYS[2], KEYS[2] .. ':deliveries', KEYS[2] .. ':due', KEYS[2] .. ':settled', KEYS[2] .. ':lane')
redis.call('ZREM', 'tb:deliveries:due', ARGV[1])
return 1
