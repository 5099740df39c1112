// Listens for changes that other processes announce, on a connection of its own. When the connection breaks, it is opened again and the
// changes announced in the gap are read. The same connection checks regularly that the database answers.
import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import type { Change, Log } from '../../kernel/context.ts'
import { CHANNEL, onlyRow } from '../../kernel/database/queries.ts'
import { parsedJson } from '../../kernel/values/text.ts'
import { inTime } from '../../kernel/work/deadline.ts'
import { ANY_WORK } from '../../kernel/work/due-work.ts'

type OnChange = (change: Change | null) => void

const RECONNECT_MS = 300
// Time between two checks that the database answers. When it hangs, a write must get a 503 within two seconds, also on a busy machine.
const PULSE_MS = 400
// The database must answer within a second, counted in ticks. If this process was paused for seconds, by its machine or a debugger, the
// pause counts as one tick, and the database, which may have been paused too, gets the other ticks to answer.
const TICK_MS = 100
const MOST_TICKS = 10
const CONNECT_MS = 1_200
// Applying more changes one by one would take longer than reading everything again.
const MOST_MISSED = 2_000
/** Announcements are kept for an hour. After a gap of half of that, everything is read again. */
const KEPT_MS = 60 * 60_000
const LONGEST_GAP_MS = KEPT_MS / 2

export interface ChangeListener {
  /** Calls back for every change; with `null` at first, and after a gap whose changes are unknown. */
  start(onChange: OnChange): Promise<void>
  stop(): void
}

/** Calls `setHanging` when the database stops answering, and when it answers again. */
export function createChangeListener(
  options: pg.ClientConfig,
  log: Log,
  setHanging: (hangs: boolean) => void,
): ChangeListener {
  let onChange: OnChange = () => {}
  let client: pg.Client | null = null
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  /**
   * Changes of all transactions below this number have arrived. It is the horizon of the check before last, because notifications of
   * transactions below the last horizon may still be on their way.
   */
  let received: string | null = null
  let lastHorizon: string | null = null
  let lastHorizonAt = 0

  async function connect(): Promise<void> {
    if (stopped) return
    const limits = { connectionTimeoutMillis: CONNECT_MS, query_timeout: CONNECT_MS }
    const next = new pg.Client({ ...limits, keepAlive: true, ...options })
    next.on('error', () => {})
    next.on('notification', ({ channel, payload }) => {
      if (channel === CHANNEL && payload) onChange(readChange(payload))
    })
    // Whether the database has answered this connection.
    let answers = false
    try {
      await next.connect()
      await next.query(`LISTEN ${CHANNEL}`)
      const current = await horizon(next)
      answers = true
      setHanging(false)
      await catchUp(next, current)
      if (stopped) return void next.end().catch(() => {})
      client = next
      next.once('end', () => reconnect(next))
      void watch(next)
    } catch (error) {
      log.warn({ err: error }, 'cannot listen for changes yet')
      if (!answers && /timeout/i.test((error as Error).message)) setHanging(true)
      next.end().catch(() => {})
      reconnect(next)
    }
  }

  function reconnect(lost: pg.Client): void {
    if (client === lost) client = null
    if (!stopped) timer = setTimeout(connect, RECONNECT_MS).unref()
  }

  /** Applies the changes announced while no connection listened. `current`: the horizon when `next` had begun to listen. */
  async function catchUp(next: pg.Client, current: string): Promise<void> {
    const since = received
    const gap = Date.now() - lastHorizonAt
    const isKnown = since !== null && gap <= LONGEST_GAP_MS
    const missed = isKnown ? await missedSince(next, since) : null
    if (missed === null) onChange(null)
    else {
      for (const { topic, ids } of missed)
        onChange(ids === null ? { topic } : { topic, ids: ids.filter((id) => typeof id === 'string') })
      // Announcements that only wake background work are not stored, so any of it may be due.
      onChange({ topic: ANY_WORK })
      log.info({ changes: missed.length, ms: gap }, 'listening again; read what was missed')
    }
    received = lastHorizon = current
    lastHorizonAt = Date.now()
  }

  async function watch(watched: pg.Client): Promise<void> {
    while (client === watched && !stopped) {
      // null: the query failed because the connection broke; then its `end` reconnects.
      const answer = horizon(watched).catch(() => null)
      let value: string | null | undefined
      for (let tick = 0; tick < MOST_TICKS && value === undefined; tick++)
        value = await inTime(answer, TICK_MS, () => undefined)
      if (value === undefined && !(await hasArrived(answer))) {
        log.warn({}, 'the database does not answer')
        // This ends the connection, so it is opened again.
        watched.connection.stream.destroy()
        setHanging(true)
        return
      }
      if (typeof value === 'string') {
        received = lastHorizon
        lastHorizon = value
        lastHorizonAt = Date.now()
      }
      await new Promise((resolve) => setTimeout(resolve, PULSE_MS).unref())
    }
  }

  return {
    start(callback) {
      onChange = callback
      return connect()
    },
    stop() {
      stopped = true
      clearTimeout(timer)
      client?.end().catch(() => {})
    },
  }
}

/** Reads an announcement. Any client of the database may send one, so an invalid one is treated as "anything may have changed". */
export function readChange(payload: string): Change | null {
  const { topic, ids, id } = (parsedJson(payload) ?? {}) as Partial<Change>
  if (typeof topic !== 'string') return null
  const announced = typeof id === 'string' ? { topic, id } : { topic }
  return Array.isArray(ids) ? { ...announced, ids: ids.filter((given) => typeof given === 'string') } : announced
}

/** The changes announced by this transaction and later ones; null if they are too many to apply one by one. */
async function missedSince(client: pg.Client, xid: string): Promise<{ topic: string; ids: string[] | null }[] | null> {
  const { rows } = await client.query(
    `select topic, ids from changes where xid >= $1::xid8 order by xid limit ${MOST_MISSED + 1}`,
    [xid],
  )
  return rows.length > MOST_MISSED ? null : rows
}

/** Every transaction below this number has ended. */
async function horizon(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ xmin: string }>('select pg_snapshot_xmin(pg_current_snapshot())::text as xmin')
  return onlyRow(rows).xmin
}

/** Whether the answer is there after three iterations of the event loop: a busy process may not have read its socket yet. */
async function hasArrived(answer: Promise<unknown>): Promise<boolean> {
  let arrived = false
  void answer.then((value) => {
    arrived = value !== null
  })
  for (let i = 0; i < 3 && !arrived; i++) await setImmediate()
  return arrived
}

export const FORGET_CHANGES = `delete from changes where at < now() - interval '${KEPT_MS / 1000} seconds'`
