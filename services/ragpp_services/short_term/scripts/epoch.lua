-- The user's epoch of forgetting, begun by the server's clock where there is none: a Redis that has lost everything never
-- repeats an epoch of before.
--
-- KEYS  epoch
-- ARGV  ttl s
-- ->    the epoch, in digits
local epoch = redis.call('GET', KEYS[1])
if not epoch then
  local time = redis.call('TIME')
  epoch = time[1] .. string.format('%06d', time[2])
  redis.call('SET', KEYS[1], epoch)
end
redis.call('EXPIRE', KEYS[1], ARGV[1])
return epoch
