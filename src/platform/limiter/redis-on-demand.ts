import type { createRedisLimiter } from './redis.ts'

/** Loads the Redis client only when it is used, because it takes memory and time at every start. */
export async function openRedisLimiter(...given: Parameters<typeof createRedisLimiter>) {
  const { createRedisLimiter } = await import('./redis.ts')
  return createRedisLimiter(...given)
}
