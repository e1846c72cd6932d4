-- Remove messages by id from sessions of one user, and every line of a summary that rests on one of them.
--
-- The ids stay as known, without a hash, so that a message that is delivered again does not come back. In the mode
-- "all" so do ids that a session does not know, so that a message that is on its way does not come at all.
--
-- KEYS  for each session: log, texts, ids, meta, summary
-- ARGV  mode ("known" or "all"), ttl s, new revision, ids ...
-- ->    {the ids that were there, those that had been forgotten before}, each as often as they were
local mode, ttl, nonce = ARGV[1], ARGV[2], ARGV[3]
local found, before = {}, {}
local forgotten = {}
for at = 4, #ARGV do
  forgotten[ARGV[at]] = true
end

for first = 1, #KEYS, 5 do
  local log, texts, ids, meta, summary = unpack(KEYS, first, first + 4)
  local changed = false
  local marked = false
  for at = 4, #ARGV do
    local id = ARGV[at]
    local known = redis.call('HGET', ids, id)
    if known == '-' then
      before[#before + 1] = id
    elseif not known then
      if mode == 'all' then
        marked = true
        redis.call('HSET', ids, id, '-')
      end
    else
      marked = true
      changed = true
      found[#found + 1] = id
      redis.call('HSET', ids, id, '-')
      local member = string.sub(known, 34)
      if member ~= '' and redis.call('ZREM', log, member) == 1 then
        redis.call('HDEL', texts, member)
        redis.call('HINCRBY', meta, 'tokens', -tonumber(string.sub(member, 37)))
      end
    end
  end
  if marked then
    redis.call('EXPIRE', ids, ttl)
  end
  if changed then
    local kept, tokens = {}, 0
    for _, line in ipairs(redis.call('LRANGE', summary, 0, -1)) do
      local decoded, rests = cjson.decode(line), false
      for _, source in ipairs(decoded.sources) do
        rests = rests or forgotten[source]
      end
      if not rests then
        kept[#kept + 1] = line
        tokens = tokens + decoded.tokens
      end
    end
    redis.call('DEL', summary)
    for _, line in ipairs(kept) do
      redis.call('RPUSH', summary, line)
    end
    local left = redis.call('PTTL', meta)
    if left >= 0 then
      redis.call('PEXPIRE', summary, math.max(left, 1))
    end
    redis.call('HSET', meta, 'summary_tokens', tokens, 'revision', nonce)
  end
end
return {found, before}
