-- Deleting for good: for the scripts that do.

-- Forget rolls of a session that are not resolved; their jobs find nothing to do.
local function forget_unresolved(session)
  for _, under_way in ipairs({'tb:pending', 'tb:stuck'}) do
    for _, roll in ipairs(redis.call('ZRANGE', under_way, 0, -1)) do
      if string.sub(roll, 1, #session + 1) == session .. '-' then
        redis.call('ZREM', under_way, roll)
        redis.call('DEL', 'tb:roll:' .. roll, 'tb:tries:' .. roll)
      end
    end
  end
  for _, challenge in ipairs(redis.call('HKEYS', 'tb:session:' .. session .. ':awaiting')) do
    redis.call('DEL', 'tb:roll:' .. challenge, 'tb:roll:' .. challenge .. ':unanswered')
  end
end

local function erase_session(campaign, session)
  forget_unresolved(session)
  local key = 'tb:session:' .. session
  redis.call('UNLINK', key, key .. ':stream', key .. ':index', key .. ':packed', key .. ':counts', key .. ':tallies',
    key .. ':awaiting')
  redis.call('ZREM', 'tb:campaign:' .. campaign .. ':sessions', session)
  redis.call('SREM', 'tb:campaign:' .. campaign .. ':late', session)
  redis.call('ZREM', 'tb:sessions:open', session)
  redis.call('ZREM', 'tb:sessions:unpacked', session)
end

-- Take a token back, and end the streams that were opened with it.
local function revoke(campaign, token)
  redis.call('DEL', 'tb:token:' .. token)
  redis.call('PUBLISH', 'tb:live', '{"campaign":"' .. campaign .. '","event":"revoked","token":"' .. token .. '"}')
end

local function erase_webhook(webhook)
  local key = 'tb:webhook:' .. webhook
  for _, delivery in ipairs(redis.call('ZRANGE', key .. ':deliveries', 0, -1)) do
    redis.call('UNLINK', 'tb:delivery:' .. delivery, 'tb:delivery:' .. delivery .. ':attempts')
  end
  redis.call('UNLINK', key, key .. ':deliveries', key .. ':due', key .. ':settled', key .. ':lane')
  redis.call('ZREM', 'tb:deliveries:due', webhook)
end

local function erase_campaign(campaign)
  local key = 'tb:campaign:' .. campaign
  local gm_key = redis.call('HGET', key, 'gm_key')
  if gm_key then
    revoke(campaign, gm_key)
  end
  for _, player in ipairs(redis.call('HVALS', key .. ':players')) do
    revoke(campaign, cjson.decode(player).token)
  end
  for _, session in ipairs(redis.call('ZRANGE', key .. ':sessions', 0, -1)) do
    erase_session(campaign, session)
  end
  for _, webhook in ipairs(redis.call('ZRANGE', key .. ':webhooks', 0, -1)) do
    erase_webhook(webhook)
  end
  for _, report in ipairs(redis.call('ZRANGE', key .. ':reports', 0, -1)) do
    redis.call('UNLINK', 'tb:report:' .. report, 'tb:report:' .. report .. ':held')
    redis.call('ZREM', 'tb:reports:unfinished', report)
  end
  redis.call('UNLINK', key, key .. ':players', key .. ':sessions', key .. ':late', key .. ':webhooks', key .. ':reports')
  redis.call('ZREM', 'tb:campaigns', campaign)
end
