-- Make a session's tallies anew, aside, a batch at a time. KEYS: the place aside, the tallies, the session's index,
-- the session. ARGV: the request {moves, settled: how many rolls there are if this batch is the last, else 0}.
-- Returns 1 where the new tallies took the old ones' place; 0 where they are not complete (yet), -1 where a roll that
-- is in them was deleted meanwhile.
local ask = cjson.decode(ARGV[1])
for _, move in ipairs(ask.moves) do
  tally(KEYS[1], move)
end
if ask.settled == 0 then
  redis.call('EXPIRE', KEYS[1], 3600)
  return 0
end
local rolls = tonumber(redis.call('HGET', KEYS[4], 'packed') or redis.call('HLEN', KEYS[3]))
if rolls > ask.settled then
  return 0 -- a roll came meanwhile
elseif rolls < ask.settled then
  redis.call('UNLINK', KEYS[1])
  return -1
end
redis.call('RENAME', KEYS[1], KEYS[2])
redis.call('PERSIST', KEYS[2])
return 1
