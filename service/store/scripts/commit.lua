-- Commit resolved rolls of one session: each that is still pending goes to the ledger, in the order given.
-- A roll that was committed before is left alone, so a job that runs twice changes nothing.
-- ARGV: the request {campaign, session, now, rolls: [{id, audiences, webhooks, move, …}]}, then each roll's record.
-- Returns how many were committed.
local ask = cjson.decode(ARGV[1])
local committed = 0
for place, roll in ipairs(ask.rolls) do
  if redis.call('EXISTS', 'tb:roll:' .. roll.id) == 1 then
    local ms = next_ms(ask.campaign, ask.now)
    settle(ask.campaign, ask.session, roll.id, ARGV[place + 1], roll.audiences, roll.webhooks, ms)
    tally('tb:session:' .. ask.session .. ':tallies', roll.move)
    if roll.challenge then
      redis.call('DEL', 'tb:roll:' .. roll.id .. ':unanswered')
      redis.call('HDEL', 'tb:session:' .. ask.session .. ':awaiting', roll.id)
    end
    committed = committed + 1
  end
end
if committed > 0 and redis.call('HEXISTS', 'tb:session:' .. ask.session, 'ended_at') == 1 then
  local newest = redis.call('ZREVRANGE', 'tb:campaign:' .. ask.campaign .. ':sessions', 0, 0)[1]
  if newest ~= ask.session then
    redis.call('SADD', 'tb:campaign:' .. ask.campaign .. ':late', ask.session)
  end
end
return committed
