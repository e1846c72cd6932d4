-- Begin an epoch, keep the marks of what is forgotten, and remove messages by id from sessions of one user, with every
-- line of a summary that rests on one of them; such a summary is torn, until it is written again from what is left.
--
-- What is left is as if they had never been there: the session was last spoken in at its latest message that is left, and
-- one of which nothing is left is none; `unlist` then takes it out of the index.
--
-- A message of a mark comes into no session any more, known by now or not, until the mark is so many seconds old; the id
-- itself is kept nowhere.
--
-- KEYS  epoch, marks of what was forgotten; then for each session: log, texts, ids, meta, summary
-- ARGV  ttl s, new revision, now ms, how long marks are kept s, number of marks, the marks ..., ids ...
-- ->    the ids that were there, each as often as they were
local ttl, nonce, now, keep, marks = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local first_id = 6 + marks
local found, forgotten = {}, {}

if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('INCR', KEYS[1])
else
  local time = redis.call('TIME')
  redis.call('SET', KEYS[1], time[1] .. string.format('%06d', time[2]))
end
for at = 6, 5 + marks do
  redis.call('ZADD', KEYS[2], 'NX', now, ARGV[at])
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. string.format('%.0f', now - 1000 * keep))
redis.call('EXPIRE', KEYS[1], ttl)
if marks > 0 then
  redis.call('EXPIRE', KEYS[2], keep)
end
for at = first_id, #ARGV do
  forgotten[ARGV[at]] = true
end

for first = 3, #KEYS, 5 do
  local log, texts, ids, meta, summary = unpack(KEYS, first, first + 4)
  local changed, latest = false, ''
  for at = first_id, #ARGV do
    local id = ARGV[at]
    local known = redis.call('HGET', ids, id)
    if known then
      redis.call('HDEL', ids, id)
    end
    if known and known ~= '-' then
      changed = true
      found[#found + 1] = id
      local member = string.sub(known, 34)
      if member ~= '' and redis.call('ZREM', log, member) == 1 then
        redis.call('HDEL', texts, member)
        if redis.call('HGET', meta, 'last_at') == string.sub(member, 1, 18) then
          latest = string.sub(member, 1, 18)
        end
        redis.call('HINCRBY', meta, 'tokens', -tonumber(string.sub(member, 37)))
      end
    end
  end
  local kept, tokens, torn = {}, 0, false
  for _, line in ipairs(redis.call('LRANGE', summary, 0, -1)) do
    local decoded, rests = cjson.decode(line), false
    for _, source in ipairs(decoded.sources) do
      rests = rests or forgotten[source]
    end
    if rests then
      torn = true
    else
      kept[#kept + 1] = line
      tokens = tokens + decoded.tokens
    end
  end
  if torn then
    redis.call('DEL', summary)
    for _, line in ipairs(kept) do
      redis.call('RPUSH', summary, line)
    end
    local left = redis.call('PTTL', meta)
    if left >= 0 then
      redis.call('PEXPIRE', summary, math.max(left, 1))
    end
    redis.call('HSET', meta, 'summary_tokens', tokens, 'torn', 1)
  end
  if changed or torn then
    redis.call('EXPIRE', ids, ttl)
    redis.call('HSET', meta, 'revision', nonce)
  end
  torn = torn or redis.call('HEXISTS', meta, 'torn') == 1
  if changed then
    local last = redis.call('ZREVRANGE', log, 0, 0)[1]
    if last and string.sub(last, 1, 18) < latest then
      redis.call('HSET', meta, 'last_at', string.sub(last, 1, 18))
    elseif not last and redis.call('EXISTS', summary) == 0 and not (torn and redis.call('HLEN', ids) > 0) then
      redis.call('DEL', meta)
    end
  end
end
return found
