-- Write a session's new summary and remove the messages that moved into it, in one step.
--
-- Does nothing when the session was changed otherwise since it was read: another compaction, something forgotten, or
-- the session deleted. Messages that were appended since then stay. It is no use of the session: the summary expires
-- with the rest.
--
-- KEYS  log, texts, ids, meta, summary of the session
-- ARGV  revision that was read, new revision, tokens of the summary, number of its lines, the lines ...,
--       and for each message that moved: member, id
-- ->    1, or 0 when the revision has moved on
local log, texts, ids, meta, summary = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local lines = tonumber(ARGV[4])

if redis.call('HGET', meta, 'revision') ~= ARGV[1] then
  return 0
end
local removed = 0
for at = 5 + lines, #ARGV, 2 do
  local member, id = ARGV[at], ARGV[at + 1]
  if redis.call('ZREM', log, member) == 1 then
    removed = removed + tonumber(string.sub(member, 37))
    redis.call('HDEL', texts, member)
    redis.call('HSET', ids, id, string.sub(redis.call('HGET', ids, id), 1, 32))
  end
end
redis.call('DEL', summary)
for at = 5, 4 + lines do
  redis.call('RPUSH', summary, ARGV[at])
end
redis.call('HINCRBY', meta, 'tokens', 0 - removed)  -- never "-0", which is no integer
redis.call('HSET', meta, 'summary_tokens', ARGV[3], 'revision', ARGV[2])
local left = redis.call('PTTL', meta)
if left >= 0 then
  redis.call('PEXPIRE', summary, math.max(left, 1))
end
return 1
