-- A session: what is known about it, its summary, and its latest messages, newest first.
--
-- At least so many messages, and more until their tokens reach the budget. With a ttl the session counts as used.
--
-- KEYS  index of sessions; log, texts, ids, meta, summary of the session
-- ARGV  budget in tokens, least number of messages, ttl s or 0, now ms, session id
-- ->    {} for a session that is not there, or {revision, tokens, {summary lines}, {members}, {bodies}}
local budget, least, ttl, now, session = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5]
local log, texts, meta, summary = KEYS[2], KEYS[3], KEYS[5], KEYS[6]
local BATCH = 100

local revision = redis.call('HGET', meta, 'revision')
if not revision then
  return {}
end
if ttl > 0 then
  for area = 2, 6 do
    redis.call('EXPIRE', KEYS[area], ttl)
  end
  redis.call('ZADD', KEYS[1], now, session)
  redis.call('EXPIRE', KEYS[1], ttl)
end

local members, bodies, used, from = {}, {}, 0, 0
while used < budget or #members < least do
  local batch = redis.call('ZREVRANGE', log, from, from + BATCH - 1)
  if #batch == 0 then
    break
  end
  local wanted = {}
  for _, member in ipairs(batch) do
    if used >= budget and #members >= least then
      break
    end
    used = used + tonumber(string.sub(member, 37))
    wanted[#wanted + 1] = member
    members[#members + 1] = member
  end
  for _, body in ipairs(redis.call('HMGET', texts, unpack(wanted))) do
    bodies[#bodies + 1] = body
  end
  from = from + BATCH
end

local sums = redis.call('HMGET', meta, 'tokens', 'summary_tokens')
local tokens = tonumber(sums[1] or 0) + tonumber(sums[2] or 0)
return {revision, tokens, redis.call('LRANGE', summary, 0, -1), members, bodies}
