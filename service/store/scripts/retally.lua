-- Make a session's tallies anew, aside, a batch at a time. KEYS: the place aside, the tallies, the session's index,
-- the session. ARGV: the request {moves, before: how many rolls are aside without them, settled: how many there are if
-- this batch is the last, else 0, deleted: by chain, the session's deleted numbers as they were before the first roll
-- was read}. Run twice (the answer got lost) it counts a batch once.
-- Returns what came of it: "more" where the new tallies are not complete (yet), "done" where they took the old ones'
-- place, "anew" where nothing is left aside: a roll was deleted meanwhile (or all of them, with the session), or it is
-- gone, as where they took that place and the answer got lost.
local ask = cjson.decode(ARGV[1])
local aside = tonumber(redis.call('HGET', KEYS[1], 't') or 0)
if aside == ask.before then
  for _, move in ipairs(ask.moves) do
    tally(KEYS[1], move)
  end
elseif aside ~= ask.before + #ask.moves then
  redis.call('UNLINK', KEYS[1])
  return 'anew'
end
if ask.settled == 0 then
  redis.call('EXPIRE', KEYS[1], 3600)
  return 'more'
end
local packed = redis.call('HGET', KEYS[4], 'packed')
if any_deleted(KEYS[4], ask.deleted) then
  redis.call('UNLINK', KEYS[1])
  return 'anew'
elseif tonumber(packed or redis.call('HLEN', KEYS[3])) ~= ask.settled then
  return 'more' -- a roll came meanwhile
end
redis.call('RENAME', KEYS[1], KEYS[2])
redis.call('PERSIST', KEYS[2])
return 'done'
