-- Put an ended session's packed chunks in the place of its stream and index, if they are all of it and nothing of
-- it is under way. KEYS: the session, its stream, its index, its packed chunks, its challenges that wait.
-- ARGV: the request {session, newest: the last event that was read, deleted: as for retally, rolls, now, rest}, then
-- starts and chunks. Returns what came of it.
local ask = cjson.decode(ARGV[1])
local ended, packed = unpack(redis.call('HMGET', KEYS[1], 'ended_at', 'packed'))
if packed then
  return 'packed-before'
elseif not ended or tonumber(ended) > ask.now - ask.rest then
  return 'too-early'
elseif redis.call('EXISTS', KEYS[5]) == 1 then
  return 'waiting'
end
-- Not a count of events: one roll deleted and another that came late would leave it as it was.
local newest = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
if (newest and newest[1] or '') ~= ask.newest or any_deleted(KEYS[1], ask.deleted) then
  return 'changed'
end
for _, under_way in ipairs({'tb:pending', 'tb:stuck'}) do
  for _, roll in ipairs(redis.call('ZRANGE', under_way, 0, -1)) do
    if string.sub(roll, 1, #ask.session + 1) == ask.session .. '-' then
      return 'waiting'
    end
  end
end
for place = 2, #ARGV, 2 do
  redis.call('HSET', KEYS[4], ARGV[place], ARGV[place + 1])
end
redis.call('HSET', KEYS[1], 'packed', string.format('%.0f', ask.rolls))
redis.call('UNLINK', KEYS[2], KEYS[3])
redis.call('ZREM', 'tb:sessions:unpacked', ask.session)
return 'packed'
