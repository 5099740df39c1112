// Rate limits with fixed windows that all processes share through Redis. Each call runs one script, so that counts are exact under
// concurrency. While Redis is not reachable, or answers too late, the memory limiter continues from the counts that Redis answered last.
import { type ClientContext, Redis, type Result } from 'ioredis'
import type { Budget, LimitDecision, Limiter } from '../../kernel/caller.ts'
import type { Log } from '../../kernel/context.ts'
import { type MemoryLimiter, summarise } from './memory.ts'

declare module 'ioredis' {
  interface RedisCommander<Context extends ClientContext> {
    /** The script below, which `defineCommand` adds. */
    takeCall(keys: number, ...rest: (string | number)[]): Result<number[], Context>
  }
}

// KEYS: one for each window. ARGV: calls to charge or 0 to peek, then calls and milliseconds of each window.
// Answer: 1 (allowed) or 0, then count and milliseconds left of each window. The script deletes a window that has no end or ends too late,
// such as after the clock of Redis was set back: its caller would be refused until then.
const SCRIPT = `
local allowed = 1
local charged = tonumber(ARGV[1])
local answer = {}
for i, key in ipairs(KEYS) do
  local left = redis.call('PTTL', key)
  if left == -1 or left > tonumber(ARGV[2 * i + 1]) then redis.call('DEL', key) end
  local count = tonumber(redis.call('GET', key) or '0')
  local calls = tonumber(ARGV[2 * i])
  if count + math.min(math.max(charged, 1), calls) > calls then allowed = 0 end
end
for i, key in ipairs(KEYS) do
  local length = tonumber(ARGV[2 * i + 1])
  if allowed == 1 and charged > 0 then
    if redis.call('INCRBY', key, charged) == charged then redis.call('PEXPIRE', key, length) end
  end
  local left = redis.call('PTTL', key)
  answer[2 * i] = tonumber(redis.call('GET', key) or '0')
  answer[2 * i + 1] = left >= 0 and left or length
end
answer[1] = allowed
return answer`

// While Redis does not answer, it is asked only this often, so that calls do not queue up behind its time-out.
const RETRY_AFTER_MS = 1_000

export function createRedisLimiter(url: string, memory: MemoryLimiter, log: Log): Limiter & { close(): void } {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 250,
    connectTimeout: 1_500,
    // Without this, a connection that died silently would be used for a quarter of an hour.
    socketTimeout: 1_000,
    retryStrategy: (attempt) => Math.min(100 * attempt, 1_000),
    scripts: { takeCall: { lua: SCRIPT } },
  })
  let away = false
  // A time of the monotonic clock: if the wall clock were set back, Redis would not be asked for that long.
  let askAgainAt = 0
  const markAway = (error: Error) => {
    askAgainAt = performance.now() + RETRY_AFTER_MS
    if (!away) log.warn({ err: error }, 'Redis is away: rate limits are counted in this process until it returns')
    away = true
  }
  const markBack = () => {
    askAgainAt = 0
    if (away) log.info({}, 'Redis is back: rate limits are shared again')
    away = false
  }
  redis.on('error', markAway)
  redis.on('ready', markBack)
  const takeCall = redis.takeCall.bind(redis)

  async function decide(id: string, budgets: readonly Budget[], charged: number): Promise<LimitDecision> {
    // Checked first, because Redis does not have what this process counted while Redis was away or slow.
    const own = await memory.peek(id, budgets)
    if (!own.allowed) return own
    if (performance.now() >= askAgainAt) {
      const askedAt = performance.now()
      try {
        const keys = budgets.map(({ seconds }) => `catalog:limit:${id}:${seconds}`)
        const sizes = budgets.flatMap(({ calls, seconds }) => [calls, seconds * 1000])
        const answer = await takeCall(keys.length, ...keys, charged, ...sizes)
        if (away && redis.status === 'ready') markBack()
        const [isAllowed, ...windows] = answer
        if (windows.length !== 2 * budgets.length) throw new Error('Redis answered with another number of windows.')
        const states = budgets.map((budget, i) => ({
          budget,
          count: windows[2 * i] ?? 0,
          left: windows[2 * i + 1] ?? 0,
        }))
        // The answer was on its way for a while, and the window must not end later here than in Redis.
        const took = performance.now() - askedAt
        memory.follow(
          id,
          states.map((state) => ({ ...state, left: state.left - took })),
        )
        return summarise(id, states, isAllowed === 1, Date.now(), charged)
      } catch (error) {
        markAway(error as Error)
      }
    }
    return charged > 0 ? memory.charge(id, budgets, charged) : memory.peek(id, budgets)
  }

  return {
    charge: (id, budgets, calls = 1) => decide(id, budgets, calls),
    peek: (id, budgets) => decide(id, budgets, 0),
    close: () => redis.disconnect(),
  }
}
