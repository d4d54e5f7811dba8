-- Clear away the job of a roll that needs it no more: its worker died after the commit, before it told RQ.
-- KEYS: pending rolls, rolls that were given up, the RQ job. ARGV: the roll's id, the queue's name, then the
-- executions of it that dead workers left. Returns 1, or 0 where the job is still needed.
local id = ARGV[1]
if redis.call('ZSCORE', KEYS[1], id) or redis.call('ZSCORE', KEYS[2], id) then
  return 0
end
forget_attempts(ARGV[2], id, {unpack(ARGV, 3)})
redis.call('DEL', KEYS[3])
return 1
