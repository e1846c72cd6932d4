-- Append messages to sessions of one user, all of them or none, and count their tokens.
--
-- A message whose id its session knows is a duplicate, also when it has moved into the summary or went with a deleted
-- session; so is one that the user has forgotten, in whatever session. With another hash it is a conflict, and then
-- nothing is written. In the mode "rebuild" what is known stays as it is.
--
-- KEYS  epoch, marks of what was forgotten, index of sessions; then for each session: log, texts, ids, meta, summary
-- ARGV  epoch that the write carries or "", mode, ttl s, now ms, nonce, how long marks are kept s, number of sessions,
--       their ids ..., number of messages, and for each: session 1.., id, mark, hash (32 characters), moment
--       (18 digits), tokens, body
-- ->    {0, {positions of conflicts, from 0}}, {1, {1 for a duplicate, 0 for a new one}, {tokens by session}}, or {2}
--       when the epoch is another one
local mode, ttl, now, nonce = ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
local kept_since = string.format('%.0f', tonumber(now) - 1000 * tonumber(ARGV[6]))
local sessions = tonumber(ARGV[7])
local count = tonumber(ARGV[8 + sessions])
local first = 9 + sessions
local FIELDS = 7

if ARGV[1] ~= '' and redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return {2}
end

local function key(session, area)
  return KEYS[3 + 5 * (session - 1) + area]
end
local LOG, TEXTS, IDS, META, SUMMARY = 1, 2, 3, 4, 5

redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. kept_since)
local known, duplicates, conflicts = {}, {}, {}
for n = 0, count - 1 do
  local at = first + FIELDS * n
  local session, id, mark, hash = tonumber(ARGV[at]), ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  local name = session .. ':' .. id
  local before = known[name] or redis.call('HGET', key(session, IDS), id)
  if redis.call('ZSCORE', KEYS[2], mark) then
    duplicates[n + 1] = 1
  elseif before then
    duplicates[n + 1] = 1
    if mode == 'store' and before ~= '-' and string.sub(before, 1, 32) ~= hash then
      conflicts[#conflicts + 1] = n
    end
  else
    duplicates[n + 1] = 0
    known[name] = hash
  end
end
if #conflicts > 0 then
  return {0, conflicts}
end

for n = 0, count - 1 do
  if duplicates[n + 1] == 0 then
    local at = first + FIELDS * n
    local session, id, hash, moment = tonumber(ARGV[at]), ARGV[at + 1], ARGV[at + 3], ARGV[at + 4]
    local tokens, body = ARGV[at + 5], ARGV[at + 6]
    local meta = key(session, META)
    local sequence = redis.call('HINCRBY', meta, 'sequence', 1)
    local member = moment .. ':' .. string.format('%016d', sequence) .. ':' .. tokens
    redis.call('ZADD', key(session, LOG), 0, member)
    redis.call('HSET', key(session, TEXTS), member, body)
    redis.call('HSET', key(session, IDS), id, hash .. '|' .. member)
    redis.call('HINCRBY', meta, 'tokens', tokens)
    redis.call('HSETNX', meta, 'revision', nonce)
    if moment > (redis.call('HGET', meta, 'last_at') or '') then
      redis.call('HSET', meta, 'last_at', moment)
    end
  end
end

local sizes = {}
for session = 1, sessions do
  for area = LOG, SUMMARY do
    redis.call('EXPIRE', key(session, area), ttl)
  end
  if redis.call('EXISTS', key(session, META)) == 1 then
    redis.call('ZADD', KEYS[3], now, ARGV[7 + session])
  end
  local sums = redis.call('HMGET', key(session, META), 'tokens', 'summary_tokens')
  sizes[session] = tonumber(sums[1] or 0) + tonumber(sums[2] or 0)
end
redis.call('EXPIRE', KEYS[1], ttl)
redis.call('EXPIRE', KEYS[3], ttl)
return {1, duplicates, sizes}
