-- Delete resolved rolls of a session for good: their events go, counts move back, their numbers are noted as deleted,
-- and what webhooks were told of them is forgotten. KEYS: the session, its stream, its index, its packed chunks, its counts,
-- its tallies.
-- ARGV: the request {campaign, rolls: [{id, own (part of it), chain, seq, audiences}], events: [stream id], chunks:
-- [{start, was (SHA-1)}]}, then what takes each chunk's place ('' for nothing). Returns what came of it.
local ask = cjson.decode(ARGV[1])
local campaign, packed = unpack(redis.call('HMGET', KEYS[1], 'campaign', 'packed'))
if campaign ~= ask.campaign then
  return 'unknown'
elseif (#ask.chunks > 0) ~= (packed and true or false) then
  return 'changed'
end
for _, chunk in ipairs(ask.chunks) do
  local kept = redis.call('HGET', KEYS[4], chunk.start)
  if not kept or redis.sha1hex(kept) ~= chunk.was then
    return 'changed'
  end
end
for _, roll in ipairs(ask.rolls) do
  if not packed and redis.call('HEXISTS', KEYS[3], roll.own) == 0 then
    return 'changed'
  end
end

for place, chunk in ipairs(ask.chunks) do
  if ARGV[place + 1] == '' then
    redis.call('HDEL', KEYS[4], chunk.start)
  else
    redis.call('HSET', KEYS[4], chunk.start, ARGV[place + 1])
  end
end
for _, event in ipairs(ask.events) do
  redis.call('XDEL', KEYS[2], event)
end
for _, roll in ipairs(ask.rolls) do
  redis.call('HDEL', KEYS[3], roll.own)
  for _, audience in ipairs(roll.audiences) do
    redis.call('HINCRBY', KEYS[5], audience, -1)
  end
  if roll.seq ~= cjson.null then -- a GM's export has no numbers of self rolls
    local deleted = 'deleted:' .. roll.chain
    local before = redis.call('HGET', KEYS[1], deleted)
    redis.call('HSET', KEYS[1], deleted, (before and before .. ' ' or '') .. string.format('%.0f', roll.seq))
  end
  if packed then
    redis.call('HINCRBY', KEYS[1], 'packed', -1)
  end
end
-- Runs and moments cannot be counted back: they are made anew from what is left.
redis.call('UNLINK', KEYS[6])
local gone = {}
for _, roll in ipairs(ask.rolls) do
  gone[roll.id] = true
end
forget_deliveries(campaign, function(subject)
  return gone[subject]
end)
return 'erased'
