-- Append messages to sessions of one user, all of them or none, and count their tokens.
--
-- A message whose id its session knows is a duplicate, also when it has moved into the summary, was forgotten, or went
-- with a deleted session; with another hash it is a conflict, and then nothing is written. In the mode "rebuild" what
-- is known stays as it is.
--
-- KEYS  index of sessions; then for each session: log, texts, ids, meta, summary
-- ARGV  mode, ttl s, now ms, nonce, number of sessions, their ids ...,
--       number of messages, and for each: session 1.., id, hash (32 characters), moment (18 digits), tokens, body
-- ->    {0, {positions of conflicts, from 0}} or {1, {1 for a duplicate, 0 for a new one}, {tokens by session}}
local mode, ttl, now, nonce = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local sessions = tonumber(ARGV[5])
local count = tonumber(ARGV[6 + sessions])
local first = 7 + sessions

local function key(session, area)
  return KEYS[1 + 5 * (session - 1) + area]
end
local LOG, TEXTS, IDS, META, SUMMARY = 1, 2, 3, 4, 5

local known, duplicates, conflicts = {}, {}, {}
for n = 0, count - 1 do
  local at = first + 6 * n
  local session, id, hash = tonumber(ARGV[at]), ARGV[at + 1], ARGV[at + 2]
  local name = session .. ':' .. id
  local before = known[name] or redis.call('HGET', key(session, IDS), id)
  if before then
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
    local at = first + 6 * n
    local session, id, hash, moment = tonumber(ARGV[at]), ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
    local tokens, body = ARGV[at + 4], ARGV[at + 5]
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
    redis.call('ZADD', KEYS[1], now, ARGV[5 + session])
  end
  local sums = redis.call('HMGET', key(session, META), 'tokens', 'summary_tokens')
  sizes[session] = tonumber(sums[1] or 0) + tonumber(sums[2] or 0)
end
redis.call('EXPIRE', KEYS[1], ttl)
return {1, duplicates, sizes}
