-- Begin an epoch, and remove sessions of one user, with the list of all of them.
--
-- Nothing of a session stays, not even the ids that it knew: what is left of it elsewhere may be put into it again.
--
-- KEYS  epoch, index of sessions; then the keys to remove, all of a session in one call
-- ARGV  ttl s
-- ->    {} always
if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('INCR', KEYS[1])
else
  local time = redis.call('TIME')
  redis.call('SET', KEYS[1], time[1] .. string.format('%06d', time[2]))
end
redis.call('EXPIRE', KEYS[1], ARGV[1])
for at = 2, #KEYS do
  redis.call('DEL', KEYS[at])
end
return {}
