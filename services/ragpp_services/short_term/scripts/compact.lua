-- Write a session's new summary and remove the messages that moved into it, in one step.
--
-- Does nothing when the session was changed otherwise since it was read: another compaction, something forgotten, or
-- the session deleted; nor when a message that the summary was made from was forgotten. Messages that were appended
-- since then stay. It is no use of the session: the summary expires with the rest.
--
-- KEYS  epoch, marks of what was forgotten; log, texts, ids, meta, summary of the session
-- ARGV  epoch that the write carries or "", revision that was read, new revision, 1 when the summary is torn no longer
--       or 0, tokens of the summary, number of its lines, the lines ..., number of messages that it was made from,
--       their marks ..., and for each message that moved: member, id
-- ->    1, 0 when the revision has moved on or a message was forgotten, or 2 when the epoch is another one
local log, texts, ids, meta, summary = KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local lines = tonumber(ARGV[6])
local from = tonumber(ARGV[7 + lines])

if ARGV[1] ~= '' and redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 2
end
if redis.call('HGET', meta, 'revision') ~= ARGV[2] then
  return 0
end
for at = 8 + lines, 7 + lines + from do
  if redis.call('ZSCORE', KEYS[2], ARGV[at]) then
    return 0
  end
end
local removed = 0
for at = 8 + lines + from, #ARGV, 2 do
  local member, id = ARGV[at], ARGV[at + 1]
  if redis.call('ZREM', log, member) == 1 then
    removed = removed + tonumber(string.sub(member, 37))
    redis.call('HDEL', texts, member)
    redis.call('HSET', ids, id, string.sub(redis.call('HGET', ids, id), 1, 32))
  end
end
redis.call('DEL', summary)
for at = 7, 6 + lines do
  redis.call('RPUSH', summary, ARGV[at])
end
redis.call('HINCRBY', meta, 'tokens', 0 - removed)  -- never "-0", which is no integer
redis.call('HSET', meta, 'summary_tokens', ARGV[5], 'revision', ARGV[3])
if ARGV[4] == '1' then
  redis.call('HDEL', meta, 'torn')
end
local left = redis.call('PTTL', meta)
if left >= 0 then
  redis.call('PEXPIRE', summary, math.max(left, 1))
end
return 1
