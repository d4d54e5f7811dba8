-- Noticing that rolls were deleted: for the scripts that put in place what was made from the ledger.

-- Whether rolls of the session at `key` were deleted since `before` was read (by chain, its deleted numbers: see
-- tallies.py), or all of them, with the session.
local function any_deleted(key, before)
  if redis.call('EXISTS', key) == 0 then
    return true
  end
  for chain, numbers in pairs(before) do
    if (redis.call('HGET', key, chain) or '') ~= numbers then
      return true
    end
  end
  return false
end
