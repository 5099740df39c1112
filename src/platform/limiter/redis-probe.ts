// Checks a Redis once: whether it answers, how fast, what its clock says and whether it runs scripts.
import { Redis } from 'ioredis'

interface RedisState {
  version: string | null
  latencyMs: number
  /** How far the clock of Redis is ahead of this machine's. */
  aheadMs: number
  /** What Redis does when its memory is full; null if it does not allow the question. */
  eviction: string | null
}

export async function probeRedis(url: string): Promise<RedisState> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 3_000,
    commandTimeout: 3_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  // Only this listener gets the reason of a refused connection; `connect` fails with "closed".
  let reason: Error | undefined
  redis.on('error', (error) => {
    reason ??= error
  })
  try {
    await redis.connect()
    let latencyMs = Number.POSITIVE_INFINITY
    let aheadMs = 0
    for (let i = 0; i < 5; i++) {
      const begun = performance.now()
      const [seconds, micros] = await redis.time()
      const took = performance.now() - begun
      if (took < latencyMs) aheadMs = Number(seconds) * 1000 + Number(micros) / 1000 - (Date.now() - took / 2)
      latencyMs = Math.min(latencyMs, took)
    }
    // The limiter is a script, and an access list of Redis may forbid scripts.
    await redis.eval('return 1', 0)
    const info = await redis.info('server').catch(() => '')
    const policy = (await redis.config('GET', 'maxmemory-policy').catch(() => null)) as string[] | null
    const version = /redis_version:(\S+)/.exec(info)?.[1] ?? null
    return { version, latencyMs, aheadMs, eviction: policy?.[1] ?? null }
  } catch (error) {
    throw reason ?? error
  } finally {
    redis.disconnect()
  }
}
