-- The RQ job of a roll, as Queue.enqueue_job of RQ 3.0 writes it: for the scripts that queue one.
-- The caller brings the job's fields; those that hold the roll's id, known only in here, are made here.

-- A zlib stream of one stored block, as Lua has no deflate; RQ reads it like any other.
local function zlib_stored(text)
  local low, high = 1, 0
  for place = 1, #text do
    low = (low + string.byte(text, place)) % 65521
    high = (high + low) % 65521
  end
  return '\120\1\1' .. struct.pack('<I2I2', #text, 65535 - #text) .. text .. struct.pack('>I2I2', high, low)
end

-- `job` is {queue, call (JSON with ROLL for the id), description (the same), fields (names and values)}.
local function enqueue(job, id, push)
  local fields = job.fields
  fields[#fields + 1] = 'data'
  fields[#fields + 1] = zlib_stored((string.gsub(job.call, 'ROLL', id)))
  fields[#fields + 1] = 'description'
  fields[#fields + 1] = (string.gsub(job.description, 'ROLL', id))
  redis.call('HSET', 'rq:job:' .. id, unpack(fields))
  redis.call('SADD', 'rq:queues', 'rq:queue:' .. job.queue)
  redis.call(push, 'rq:queue:' .. job.queue, id)
end

-- Clear away earlier attempts at a job: popped and not started, started by workers that are dead, failed.
-- `executions` are the ids of those; RQ keeps them by "JOB:EXECUTION".
local function forget_attempts(queue, id, executions)
  redis.call('LREM', 'rq:queue:' .. queue .. ':intermediate', 0, id)
  redis.call('ZREM', 'rq:failed:' .. queue, id)
  for _, execution in ipairs(executions) do
    redis.call('ZREM', 'rq:wip:' .. queue, id .. ':' .. execution)
    redis.call('DEL', 'rq:execution:' .. id .. ':' .. execution)
  end
  redis.call('DEL', 'rq:executions:' .. id)
end
