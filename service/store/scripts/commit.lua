-- Commit resolved rolls of one session. ARGV: the request, then each roll's record; see committing.lua.
-- Returns how many were committed.
return commit(cjson.decode(ARGV[1]), ARGV, 2)
