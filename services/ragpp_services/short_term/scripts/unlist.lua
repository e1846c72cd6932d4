-- Take sessions of which nothing is left out of the index.
--
-- KEYS  index of sessions; then the meta of each session
-- ARGV  the sessions' ids
-- ->    how many left it
local gone = 0
for n, session in ipairs(ARGV) do
  if redis.call('EXISTS', KEYS[n + 1]) == 0 then
    gone = gone + redis.call('ZREM', KEYS[1], session)
  end
end
return gone
