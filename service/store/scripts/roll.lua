-- Read a roll. KEYS: its session. ARGV: campaign, session, id. Returns its record, '' where there is none.
if redis.call('HGET', KEYS[1], 'campaign') ~= ARGV[1] then
  return ''
end
return record_of(ARGV[2], ARGV[3])
