// Fixed windows shared by every process through Redis. One script a call makes it exact under concurrency; while Redis is away
// the memory limiter takes over.
import { Redis } from 'ioredis'
import type { Budget, Decision, Limiter } from '../kernel/caller.ts'
import type { Log } from '../kernel/context.ts'
import { summarise } from './limiter-memory.ts'

// KEYS: one a window. ARGV: 1 to charge or 0 to peek, then calls and milliseconds of each window.
// Answers: 1 or 0, then count and milliseconds left of each window.
const SCRIPT = `
local allowed = 1
local answer = {}
for i, key in ipairs(KEYS) do
  local count = tonumber(redis.call('GET', key) or '0')
  if count >= tonumber(ARGV[2 * i]) then allowed = 0 end
end
for i, key in ipairs(KEYS) do
  local length = tonumber(ARGV[2 * i + 1])
  if allowed == 1 and ARGV[1] == '1' then
    if redis.call('INCR', key) == 1 then redis.call('PEXPIRE', key, length) end
  end
  local left = redis.call('PTTL', key)
  answer[2 * i] = tonumber(redis.call('GET', key) or '0')
  answer[2 * i + 1] = left >= 0 and left or length
end
answer[1] = allowed
return answer`

// While Redis does not answer, calls must not queue up behind its time-out: ask again only this often.
const RETRY_AFTER_MS = 1_000

export function createRedisLimiter(url: string, memory: Limiter, log: Log): Limiter & { close(): void } {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 250,
    connectTimeout: 1_500,
    // A connection that died without a word would otherwise be believed in for a quarter of an hour.
    socketTimeout: 1_000,
    retryStrategy: (attempt) => Math.min(100 * attempt, 1_000),
    scripts: { takeCall: { lua: SCRIPT } },
  })
  let away = false
  // Not by the wall clock: one that is set back would keep us from asking for as long.
  let askAgainAt = 0
  const isAway = (error: Error) => {
    askAgainAt = performance.now() + RETRY_AFTER_MS
    if (!away) log.warn({ err: error }, 'Redis is away: rate limits are counted in this process until it returns')
    away = true
  }
  const isBack = () => {
    askAgainAt = 0
    if (away) log.info({}, 'Redis is back: rate limits are shared again')
    away = false
  }
  redis.on('error', isAway)
  redis.on('ready', isBack)
  const takeCall = (
    redis as unknown as { takeCall(count: number, ...rest: (string | number)[]): Promise<number[]> }
  ).takeCall.bind(redis)

  async function decide(id: string, budgets: readonly Budget[], charge: boolean): Promise<Decision> {
    if (performance.now() >= askAgainAt) {
      try {
        const keys = budgets.map(({ seconds }) => `catalog:limit:${id}:${seconds}`)
        const sizes = budgets.flatMap(({ calls, seconds }) => [calls, seconds * 1000])
        const answer = await takeCall(keys.length, ...keys, charge ? 1 : 0, ...sizes)
        if (away && redis.status === 'ready') isBack()
        const states = budgets.map((budget, i) => ({ budget, count: answer[2 * i + 1]!, left: answer[2 * i + 2]! }))
        return summarise(states, answer[0] === 1, Date.now())
      } catch (error) {
        isAway(error as Error)
      }
    }
    return charge ? memory.charge(id, budgets) : memory.peek(id, budgets)
  }

  return {
    charge: (id, budgets) => decide(id, budgets, true),
    peek: (id, budgets) => decide(id, budgets, false),
    close: () => redis.disconnect(),
  }
}
