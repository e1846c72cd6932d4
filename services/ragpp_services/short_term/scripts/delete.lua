-- Remove a session and its place in the index.
--
-- The ids of its messages stay as known, without a hash, so that a message that is delivered again does not bring the
-- session back; what is new begins it anew.
--
-- KEYS  index of sessions; log, texts, ids, meta, summary of the session
-- ARGV  session id, ttl s, 1 to leave it where it has messages
-- ->    1 when there was one that is gone, else 0
local ids = KEYS[4]
if ARGV[3] == '1' and redis.call('EXISTS', KEYS[2]) == 1 then
  return 0
end
local existed = redis.call('EXISTS', KEYS[5])
redis.call('DEL', KEYS[2], KEYS[3], KEYS[5], KEYS[6])
redis.call('ZREM', KEYS[1], ARGV[1])
for _, id in ipairs(redis.call('HKEYS', ids)) do
  redis.call('HSET', ids, id, '-')
end
redis.call('EXPIRE', ids, ARGV[2])
return existed
