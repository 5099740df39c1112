// Hears what other processes announce, on a connection of its own that is opened again whenever it breaks, and reads afterwards what was
// announced meanwhile. The same connection tells whether the database is there: one that hangs is as bad as one that is away.
import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import type { Change, Log } from '../../kernel/context.ts'

export const CHANNEL = 'catalog'

type Heard = (change: Change | null) => void

const AGAIN_MS = 300
// A write must be a 503 within two seconds when the database hangs, on a busy machine too.
const PULSE_MS = 400
const PULSE_LIMIT_MS = 1_000
const CONNECT_MS = 1_200
// Reading more of them one by one would take longer than reading everything again.
const MANY = 2_000
/** Announcements are kept for an hour. After a gap that long everything is read again. */
const KEPT_MS = 60 * 60_000
const LONGEST_GAP_MS = KEPT_MS / 2

export interface ChangeListener {
  /** Calls back for every change; with `null` at first, and after a gap that nothing is known of. */
  start(heard: Heard): Promise<void>
  stop(): void
}

/** `isHanging` is told when the database stops answering, and when it answers again. */
export function createChangeListener(
  options: pg.ClientConfig,
  log: Log,
  isHanging: (so: boolean) => void,
): ChangeListener {
  let heard: Heard = () => {}
  let client: pg.Client | null = null
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  /** All transactions below this were heard of. The pulse before last: what the last one saw may still be on its way. */
  let known: string | null = null
  let seen: string | null = null
  let seenAt = 0

  async function connect(): Promise<void> {
    if (stopped) return
    const limits = { connectionTimeoutMillis: CONNECT_MS, query_timeout: CONNECT_MS }
    const next = new pg.Client({ ...limits, keepAlive: true, ...options })
    next.on('error', () => {})
    next.on('notification', ({ channel, payload }) => {
      if (channel === CHANNEL && payload) heard(readChange(payload))
    })
    let answers = false
    try {
      await next.connect()
      await next.query(`LISTEN ${CHANNEL}`)
      const before = await horizon(next)
      answers = true
      isHanging(false)
      await catchUp(next, before)
      if (stopped) return void next.end().catch(() => {})
      client = next
      next.once('end', () => again(next))
      void watch(next)
    } catch (error) {
      log.warn({ err: error }, 'cannot listen for changes yet')
      if (!answers && /timeout/i.test((error as Error).message)) isHanging(true)
      next.end().catch(() => {})
      again(next)
    }
  }

  function again(lost: pg.Client): void {
    if (client === lost) client = null
    if (!stopped) timer = setTimeout(connect, AGAIN_MS)
  }

  /** `before`: the horizon after listening began. */
  async function catchUp(next: pg.Client, before: string): Promise<void> {
    const since = known
    const gap = Date.now() - seenAt
    const isKnown = since !== null && gap <= LONGEST_GAP_MS
    const missed = isKnown ? await missedSince(next, since) : null
    if (missed === null) heard(null)
    else {
      for (const { topic, ids } of missed)
        heard(ids === null ? { topic } : { topic, ids: ids.filter((id) => typeof id === 'string') })
      log.info({ changes: missed.length, ms: gap }, 'listening again; read what was missed')
    }
    known = seen = before
    seenAt = Date.now()
  }

  async function watch(one: pg.Client): Promise<void> {
    while (client === one && !stopped) {
      const answer = horizon(one).catch(() => null)
      const late = AbortSignal.timeout(PULSE_LIMIT_MS)
      const value = await Promise.race([
        answer,
        new Promise<'late'>((resolve) => late.addEventListener('abort', () => resolve('late'))),
      ])
      if (value === 'late' && !(await isThere(answer))) {
        log.warn({}, 'the database does not answer')
        one.connection.stream.destroy()
        isHanging(true)
        return
      }
      if (typeof value === 'string' && value !== 'late') {
        known = seen
        seen = value
        seenAt = Date.now()
      }
      await new Promise((resolve) => setTimeout(resolve, PULSE_MS).unref())
    }
  }

  return {
    start(callback) {
      heard = callback
      return connect()
    },
    stop() {
      stopped = true
      clearTimeout(timer)
      client?.end().catch(() => {})
    },
  }
}

/** What an announcement says; anybody with the database may send one, and what cannot be read may mean anything. */
export function readChange(payload: string): Change | null {
  try {
    const { topic, ids } = JSON.parse(payload) as Partial<Change>
    if (typeof topic !== 'string') return null
    return Array.isArray(ids) ? { topic, ids: ids.filter((id) => typeof id === 'string') } : { topic }
  } catch {
    return null
  }
}

/** null: too many to look at. */
async function missedSince(client: pg.Client, xid: string): Promise<{ topic: string; ids: string[] | null }[] | null> {
  const { rows } = await client.query(
    `select topic, ids from changes where xid >= $1::xid8 order by xid limit ${MANY + 1}`,
    [xid],
  )
  return rows.length > MANY ? null : rows
}

/** Every transaction below this number has ended. */
async function horizon(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ xmin: string }>('select pg_snapshot_xmin(pg_current_snapshot())::text as xmin')
  return rows[0]!.xmin
}

/** The answer may lie in the socket while this process was too busy to read it. */
async function isThere(answer: Promise<unknown>): Promise<boolean> {
  let there = false
  void answer.then((value) => {
    there = value !== null
  })
  for (let turn = 0; turn < 3 && !there; turn++) await setImmediate()
  return there
}

export const FORGET_CHANGES = `delete from changes where at < now() - interval '${KEPT_MS / 1000} seconds'`
