-- Committing resolved rolls: for the scripts that do.

-- Commit rolls of one session: each that is still pending goes to the ledger, in the order given. One that was
-- committed before is left alone, so a job that runs twice changes nothing. It counts where this very record was
-- committed: then it was here, and the answer got lost.
-- `ask` is {campaign, session, now, rolls: [{id, audiences, webhooks, move, challenge}]}; the rolls' records stand in
-- `records` from `first` on. Returns how many were committed.
local function commit(ask, records, first)
  local committed, key = 0, 'tb:session:' .. ask.session
  for place, roll in ipairs(ask.rolls) do
    if redis.call('DEL', 'tb:roll:' .. roll.id) == 1 then
      settle(ask.campaign, ask.session, roll.id, records[first + place - 1], roll.audiences, roll.webhooks, ask.now)
      tally(key .. ':tallies', roll.move)
      if roll.challenge then
        redis.call('DEL', 'tb:roll:' .. roll.id .. ':unanswered')
        redis.call('HDEL', key .. ':awaiting', roll.id)
      end
      committed = committed + 1
    elseif record_of(ask.session, roll.id) == records[first + place - 1] then
      committed = committed + 1
    end
  end
  return committed
end
