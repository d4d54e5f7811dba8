-- Change a report that is unfinished, and tell of it. KEYS: the report, the unfinished reports, its lease.
-- ARGV: the request {campaign, report, finished, keep_event, ready, now, ttl}, the event's
-- record, then fields and values.
-- Returns 1, or 0 where the report is finished or gone.
local ask = cjson.decode(ARGV[1])
local status = redis.call('HGET', KEYS[1], 'status')
if not status or status == 'done' or status == 'failed' then
  return 0
end
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
redis.call('EXPIRE', KEYS[1], ask.ttl)
if ask.finished then
  redis.call('ZREM', KEYS[2], ask.report)
  redis.call('DEL', KEYS[3])
end
if ask.ready ~= '' then
  announce(ask.campaign, 'report.ready', ask.report, ask.ready, ask.now)
end
local session = ask.keep_event and redis.call('HGET', 'tb:campaign:' .. ask.campaign, 'open')
if session then
  append(ask.campaign, session, 'report', ARGV[2], next_ms(ask.campaign, ask.now))
else
  redis.call('PUBLISH', 'tb:live', '{"campaign":"' .. ask.campaign .. '","id":"0-0","event":"report","record":' ..
    ARGV[2] .. '}')
end
return 1
