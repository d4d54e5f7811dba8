-- Forgetting what webhooks' logs keep of what is deleted for good. That something was told, when, and with which
-- status, stays.

-- An attempt without what was answered but its status: a receiver may say back what it was told.
local function without_answer(attempt)
  local entry = cjson.decode(attempt)
  if type(entry.answer) == 'table' then
    entry.answer = {status = entry.answer.status, headers = {}, body = ''}
  end
  return cjson.encode(entry)
end

-- Forget what is kept of the deliveries of a campaign whose subject `is_about` names. `forgotten` stays with each, for
-- one that is on its way: see attempted.lua.
local function forget_deliveries(campaign, is_about)
  for _, webhook in ipairs(redis.call('ZRANGE', 'tb:campaign:' .. campaign .. ':webhooks', 0, -1)) do
    for _, delivery in ipairs(redis.call('ZRANGE', 'tb:webhook:' .. webhook .. ':deliveries', 0, -1)) do
      local key = 'tb:delivery:' .. delivery
      local subject = redis.call('HGET', key, 'subject')
      if subject and is_about(subject) then
        redis.call('HSET', key, 'forgotten', '1')
        redis.call('HDEL', key, 'request')
        for place, attempt in ipairs(redis.call('LRANGE', key .. ':attempts', 0, -1)) do
          redis.call('LSET', key .. ':attempts', place - 1, without_answer(attempt))
        end
      end
    end
  end
end
