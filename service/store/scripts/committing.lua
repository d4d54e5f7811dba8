-- Committing resolved rolls: for the scripts that do.

-- Note that a session got a roll after a newer one had started. An open one did not; `open` is the campaign's.
local function note_if_late(campaign, session, open)
  if open == session or redis.call('HEXISTS', 'tb:session:' .. session, 'ended_at') == 0 then
    return
  end
  local newest = redis.call('ZREVRANGE', 'tb:campaign:' .. campaign .. ':sessions', 0, 0)[1]
  if newest ~= session then
    redis.call('SADD', 'tb:campaign:' .. campaign .. ':late', session)
  end
end

-- Commit rolls of one session: each that is still pending goes to the ledger, in the order given. One that was
-- committed before is left alone, so a job that runs twice changes nothing.
-- `ask` is {campaign, session, now, rolls: [{id, audiences, webhooks, move, challenge}]}; the rolls' records stand in
-- `records` from `first` on. Returns how many were committed.
local function commit(ask, records, first)
  local committed, key = 0, 'tb:session:' .. ask.session
  for place, roll in ipairs(ask.rolls) do
    if redis.call('DEL', 'tb:roll:' .. roll.id) == 1 then
      local ms, open = next_ms(ask.campaign, ask.now)
      settle(ask.campaign, ask.session, roll.id, records[first + place - 1], roll.audiences, roll.webhooks, ms)
      tally(key .. ':tallies', roll.move)
      if roll.challenge then
        redis.call('DEL', 'tb:roll:' .. roll.id .. ':unanswered')
        redis.call('HDEL', key .. ':awaiting', roll.id)
      end
      note_if_late(ask.campaign, ask.session, open)
      committed = committed + 1
    end
  end
  return committed
end
