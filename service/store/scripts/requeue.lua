-- Queue a pending roll's job again, where it is not queued. KEYS: the roll, the queue.
-- ARGV: the roll's id, the RQ job, now, its place (first or last), then the executions of it that dead workers left.
-- Returns 1, or 0 where there is nothing to do.
local id, job = ARGV[1], cjson.decode(ARGV[2])
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('LPOS', KEYS[2], id) then
  return 0
end
forget_attempts(job.queue, id, {unpack(ARGV, 5)})
enqueue(job, id, ARGV[4] == 'first' and 'LPUSH' or 'RPUSH')
redis.call('PERSIST', 'rq:job:' .. id)
redis.call('HSET', 'rq:job:' .. id, 'enqueue_at_front', 1) -- which makes it no plain job: it will run alone
if redis.call('ZADD', 'tb:pending', 'XX', 'CH', ARGV[3], id) == 0 then
  redis.call('ZADD', 'tb:stuck', 'XX', ARGV[3], id)
end
return 1
