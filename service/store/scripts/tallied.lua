-- A session's tallies if every roll of it is in them, both read at one moment. KEYS: the tallies, the session's index,
-- the session. Returns {"packed", how they are compressed}, {"whole", fields and values} or {"incomplete", ""}.
if redis.call('TYPE', KEYS[1]).ok == 'string' then
  return {'packed', redis.call('GET', KEYS[1])}
end
local packed = redis.call('HGET', KEYS[3], 'packed')
local rolls = tonumber(packed or redis.call('HLEN', KEYS[2]))
if tonumber(redis.call('HGET', KEYS[1], 't') or 0) ~= rolls then
  return {'incomplete', ''}
end
return {'whole', redis.call('HGETALL', KEYS[1])}
