-- Delete a campaign for good. KEYS: it. ARGV: its id. Returns 1, or 0 where there is none.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
erase_campaign(ARGV[1])
return 1
