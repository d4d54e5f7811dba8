-- End a session; ending it again changes nothing. KEYS: the session. ARGV: the request {campaign (or '' for
-- whichever), session, now, idle_since (or 0 to end it in any case)}. Returns what came of it.
local ask = cjson.decode(ARGV[1])
local campaign, ended = unpack(redis.call('HMGET', KEYS[1], 'campaign', 'ended_at'))
if not campaign or (ask.campaign ~= '' and ask.campaign ~= campaign) then
  return 'unknown'
elseif ended then
  return 'ended-before'
elseif ask.idle_since > 0 and not is_idle(ask.session, ask.idle_since) then
  return 'in-use'
end
end_session(campaign, ask.session, ask.now)
return 'ended'
