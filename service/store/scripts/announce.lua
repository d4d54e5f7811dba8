-- Tell the campaign's webhooks of something that no other script writes. ARGV: the request {campaign, event, subject,
-- audience, now}.
local ask = cjson.decode(ARGV[1])
announce(ask.campaign, ask.event, ask.subject, ask.audience, ask.now)
return 1
