-- Giving a roll its number in the session and keeping it until it is resolved: for the scripts that accept.
-- `rest` is the record's JSON after the four fields that are known only here.
local function pending(session, id, ask, rest)
  local key = 'tb:session:' .. session
  local seq = redis.call('HINCRBY', key, 'seq:' .. ask.chain, 1) + ask.before_first
  local commitment = redis.call('HGET', key, ask.chain == 'open' and 'commitment' or 'hidden_commitment')
  local record = '{"id":"' .. id .. '","session":"' .. session .. '","seq":' .. string.format('%.0f', seq) ..
    ',"commitment":"' .. commitment .. '",' .. rest
  redis.call('SET', 'tb:roll:' .. id, record)
  redis.call('ZADD', 'tb:pending', ask.now, id)
  return record
end
