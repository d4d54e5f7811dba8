-- Leave a webhook's lane, and put down when it has something to do again. KEYS: the lane. ARGV: webhook, owner.
if redis.call('GET', KEYS[1]) == ARGV[2] then
  redis.call('DEL', KEYS[1])
end
plan(ARGV[1])
return 1
