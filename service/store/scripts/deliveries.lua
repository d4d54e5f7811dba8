-- Making deliveries: for the scripts that write what webhooks hear of. DELIVERY_JOB stands before this: the RQ job.

-- Schedule a delivery, and wake the worker. `id` is the delivery's and the message's; a second time changes nothing.
local function schedule(webhook, id, event, subject, now, due)
  local key = 'tb:delivery:' .. id
  if redis.call('HSETNX', key, 'event', event) == 0 then
    return
  end
  redis.call('HSET', key, 'webhook', webhook, 'subject', subject, 'status', 'pending', 'created_at', now, 'next_at', due)
  redis.call('ZADD', 'tb:webhook:' .. webhook .. ':deliveries', now, id)
  redis.call('ZADD', 'tb:webhook:' .. webhook .. ':due', due, id)
  redis.call('ZADD', 'tb:deliveries:due', 'LT', due, webhook)
  enqueue(cjson.decode(DELIVERY_JOB), id, 'RPUSH')
end

-- The earliest moment at which a webhook has something to do, put down for all workers to see.
local function plan(webhook)
  local first = redis.call('ZRANGE', 'tb:webhook:' .. webhook .. ':due', 0, 0, 'WITHSCORES')
  if #first == 0 then
    redis.call('ZREM', 'tb:deliveries:due', webhook)
  else
    local held = tonumber(redis.call('HGET', 'tb:webhook:' .. webhook, 'held_until') or 0)
    redis.call('ZADD', 'tb:deliveries:due', string.format('%.0f', math.max(tonumber(first[2]), held)), webhook)
  end
end

-- Make a delivery for each webhook of the campaign that hears of the event and may see its subject: `audience` is
-- 'everyone' (any webhook), 'gm' (those that the GM lets see hidden rolls) or '' (none). The id follows from
-- webhook, event and subject. It is due a minute ago: at once, in order, and whatever the worker's clock says.
local function announce(campaign, event, subject, audience, now)
  if audience == '' then
    return
  end
  local moment, at_once = string.format('%.0f', now), string.format('%.0f', now - 60000)
  for _, webhook in ipairs(redis.call('ZRANGE', 'tb:campaign:' .. campaign .. ':webhooks', 0, -1)) do
    local events, hidden, enabled = unpack(redis.call(
      'HMGET', 'tb:webhook:' .. webhook, 'events', 'hidden', 'enabled'))
    if enabled == '1' and string.find(events, event, 1, true) and (audience == 'everyone' or hidden == '1') then
      local digest = redis.sha1hex(webhook .. ' ' .. event .. ' ' .. subject)
      schedule(webhook, webhook .. '-' .. string.sub(digest, 1, 24), event, subject, moment, at_once)
    end
  end
end
