-- Delete an ended session for good. KEYS: it. ARGV: the campaign, its id. Returns what came of it.
local campaign, ended = unpack(redis.call('HMGET', KEYS[1], 'campaign', 'ended_at'))
if campaign ~= ARGV[1] then
  return 'unknown'
elseif not ended then
  return 'open'
end
erase_session(ARGV[1], ARGV[2])
return 'erased'
