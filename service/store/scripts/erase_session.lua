-- Delete an ended session for good, and forget what webhooks were told of it and of its rolls. KEYS: it.
-- ARGV: the campaign, its id. Returns what came of it.
local campaign, ended = unpack(redis.call('HMGET', KEYS[1], 'campaign', 'ended_at'))
if campaign ~= ARGV[1] then
  return 'unknown'
elseif not ended then
  return 'open'
end
erase_session(ARGV[1], ARGV[2])
forget_deliveries(ARGV[1], function(subject)
  return subject == ARGV[2] or string.sub(subject, 1, #ARGV[2] + 1) == ARGV[2] .. '-'
end)
return 'erased'
