-- Note what came of an attempt, once. KEYS: the webhook. ARGV: the request {webhook, delivery, attempt, asked, now, outcome
-- (delivered, failed or pending), due, step, put_off, held_until, tried, off (why the webhook is switched off, or ''),
-- most_failing, keep, keep_attempts}, the attempt, the request as sent. Returns why the webhook was switched off just now, or ''.
local ask = cjson.decode(ARGV[1])
local key, now = 'tb:delivery:' .. ask.delivery, string.format('%.0f', ask.now)
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('EXISTS', key) == 0 then
  redis.call('ZREM', KEYS[1] .. ':due', ask.delivery)
  return ''
end

-- The same attempt again, where the answer got lost: it was noted, and may have switched the webhook off.
if redis.call('HGET', key, 'noted') == ask.attempt then
  local off, by = unpack(redis.call('HMGET', KEYS[1], 'off_because', 'off_by'))
  return by == ask.attempt and off or ''
end
redis.call('HSET', key, 'noted', ask.attempt)

-- A webhook that hears of hidden rolls is counted apart: see figures.py.
local audience = redis.call('HGET', KEYS[1], 'hidden') == '1' and 'hidden' or 'everyone'
redis.call('HINCRBY', 'tb:figures', 'deliveries\t' .. ask.outcome .. '\t' .. audience, 1)
-- Of what was deleted while it was on its way nothing comes back: see forgetting.lua.
local forgotten = redis.call('HEXISTS', key, 'forgotten') == 1
redis.call('RPUSH', key .. ':attempts', forgotten and without_answer(ARGV[2]) or ARGV[2])
redis.call('LTRIM', key .. ':attempts', -ask.keep_attempts, -1)
if ARGV[3] ~= '' and not forgotten then
  redis.call('HSET', key, 'request', ARGV[3])
end
-- One that was asked for again while it was being sent stays due.
local asked = tonumber(redis.call('HGET', key, 'asked') or 0)
if asked == ask.asked and redis.call('HGET', key, 'status') == 'pending' then
  if ask.outcome == 'pending' then
    local due = string.format('%.0f', ask.due)
    redis.call('HSET', key, 'step', ask.step, 'put_off', ask.put_off, 'next_at', due)
    redis.call('ZADD', KEYS[1] .. ':due', due, ask.delivery)
  else
    redis.call('HSET', key, 'status', ask.outcome, 'settled_at', now)
    redis.call('HDEL', key, 'next_at')
    redis.call('ZREM', KEYS[1] .. ':due', ask.delivery)
    redis.call('ZADD', KEYS[1] .. ':settled', now, ask.delivery)
    -- What is not settled is never dropped from the log, however long the log.
    local over = redis.call('ZCARD', KEYS[1] .. ':settled') - ask.keep
    for _, old in ipairs(over > 0 and redis.call('ZRANGE', KEYS[1] .. ':settled', 0, over - 1) or {}) do
      redis.call('ZREM', KEYS[1] .. ':settled', old)
      redis.call('ZREM', KEYS[1] .. ':deliveries', old)
      redis.call('DEL', 'tb:delivery:' .. old, 'tb:delivery:' .. old .. ':attempts')
    end
  end
end

if ask.held_until > 0 then
  redis.call('HSET', KEYS[1], 'held_until', string.format('%.0f', ask.held_until))
end
local off = ask.off
if ask.outcome == 'delivered' then
  redis.call('HDEL', KEYS[1], 'failing_since')
elseif ask.tried then
  redis.call('HSETNX', KEYS[1], 'failing_since', now)
  if off == '' and ask.now - tonumber(redis.call('HGET', KEYS[1], 'failing_since')) >= ask.most_failing then
    off = 'failing'
  end
end
plan(ask.webhook)
if off == '' or redis.call('HGET', KEYS[1], 'enabled') ~= '1' then
  return ''
end
redis.call('HSET', KEYS[1], 'enabled', '0', 'off_because', off, 'off_at', now, 'off_by', ask.attempt)
local campaign = redis.call('HGET', KEYS[1], 'campaign')
redis.call('PUBLISH', 'tb:live', '{"campaign":"' .. campaign .. '","id":"' .. next_ms(campaign, ask.now) ..
  '-0","event":"webhook","record":{"id":"' .. ask.webhook .. '"}}')
return off
