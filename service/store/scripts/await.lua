-- Let a challenge wait for its other side. KEYS: the roll.
-- ARGV: the request {id, campaign, session, now, audiences, webhooks}, the awaiting record, and the record for the
-- case that nobody answers (but for its first field, the time of its closing). Returns 1, or 0 where it waited
-- already.
local ask = cjson.decode(ARGV[1])
local waiting = 'tb:session:' .. ask.session .. ':awaiting'
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', waiting, ask.id) == 1 then
  return 0
end
redis.call('HSET', KEYS[1] .. ':unanswered', 'record', ARGV[3], 'audiences', cjson.encode(ask.audiences), 'webhooks',
  ask.webhooks)
if redis.call('HEXISTS', 'tb:session:' .. ask.session, 'ended_at') == 1 then
  close_unanswered(ask.campaign, ask.session, ask.id, ask.now)
  return 1
end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('HSET', waiting, ask.id, '')
if redis.call('ZREM', 'tb:pending', ask.id) == 0 then
  redis.call('ZREM', 'tb:stuck', ask.id)
end
append(ask.campaign, ask.session, 'awaiting', ARGV[2], next_ms(ask.campaign, ask.now))
return 1
