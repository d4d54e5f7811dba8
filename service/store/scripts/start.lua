-- Start a session. KEYS: the campaign. ARGV: the request. Returns what came of it and the open session's id.
local ask = cjson.decode(ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 0 then
  return {'unknown-campaign', ''}
end
local session = open_unless_idle(ask.campaign, ask.now, ask.idle_since)
if session == ask.fresh.id then
  return {'started', session} -- asked a second time, as after a lost answer
elseif session then
  return {'open', session}
end
open_session(ask.campaign, ask.fresh, ask.now)
return {'started', ask.fresh.id}
