-- Answering a request once: redis-py sends it again where the connection broke, though only the answer may have got
-- lost. What came of it is kept for a minute, by the id that is the last of ARGV, and a second time only told again.
local function once(carry_out)
  local asked = 'tb:asked:' .. table.remove(ARGV)
  local before = redis.call('GET', asked)
  if before then
    return cjson.decode(before)[1]
  end
  local outcome = carry_out()
  redis.pcall('SET', asked, cjson.encode({outcome}), 'EX', 60) -- which fails where memory is full and nothing changed
  return outcome
end
