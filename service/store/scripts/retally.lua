-- Make a session's tallies anew, aside, a batch at a time. KEYS: the place aside, the tallies, the session's index.
-- ARGV: the request {moves, settled: how many rolls there are if this batch is the last, else 0}.
-- Returns 1 where the new tallies took the old ones' place; 0 where they are not complete (yet).
local ask = cjson.decode(ARGV[1])
for _, move in ipairs(ask.moves) do
  tally(KEYS[1], move)
end
if ask.settled == 0 then
  redis.call('EXPIRE', KEYS[1], 3600)
  return 0
end
if redis.call('EXISTS', KEYS[3]) == 1 and redis.call('HLEN', KEYS[3]) ~= ask.settled then
  return 0 -- a roll came meanwhile
end
redis.call('RENAME', KEYS[1], KEYS[2])
redis.call('PERSIST', KEYS[2])
return 1
