-- Read a roll. KEYS: its session. ARGV: campaign, session, id. Returns its record, '' where there is none, and
-- whether the session is packed: if not, there is nothing to look for elsewhere.
local campaign, packed = unpack(redis.call('HMGET', KEYS[1], 'campaign', 'packed'))
if campaign ~= ARGV[1] then
  return {'', 0}
end
return {record_of(ARGV[2], ARGV[3]), packed and 1 or 0}
