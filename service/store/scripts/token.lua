-- Give out a token in place of an older one, or (with an empty new one) revoke it, telling the open streams.
-- KEYS: the hash that holds the older one. ARGV: campaign, the field in that hash, the field's new value ('' to
-- delete it), the new token's SHA-256 ('' for none), its JSON. Returns 1 where the field existed before, -1 where the
-- campaign was deleted: then nothing is given out, as nobody could take it back.
if ARGV[3] ~= '' and redis.call('EXISTS', 'tb:campaign:' .. ARGV[1]) == 0 then
  return -1
end
local held = redis.call('HGET', KEYS[1], ARGV[2])
if held then
  -- A player's field is JSON that names the token, the GM's is the token itself.
  local old = string.sub(held, 1, 1) == '{' and cjson.decode(held).token or held
  if old ~= ARGV[4] then
    redis.call('DEL', 'tb:token:' .. old)
    redis.call('PUBLISH', 'tb:live', '{"campaign":"' .. ARGV[1] .. '","event":"revoked","token":"' .. old .. '"}')
  end
end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[2])
else
  redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
  redis.call('SET', 'tb:token:' .. ARGV[4], ARGV[5])
end
return held and 1 or 0
