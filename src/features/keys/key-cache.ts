// All live keys in memory, so that a key is checked without the database and goes on working while it is away.
import type { BrokenRows } from '../../kernel/broken-rows.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Change, Database, Log } from '../../kernel/context.ts'
import { findLiveKeyByHash, listLiveKeys, listLiveKeysOf } from './queries.ts'
import { callerOf, hashKey, hasKeyForm, hasRightChecksum, type KeyEntry, keyProblem } from './rules.ts'

export interface KeyRing {
  /** The caller that a key stands for, or null, without a look at the database. `connection`: what the key came over. */
  held(key: string, connection: object): Caller | null
  /** Whether a text could be a key that was made elsewhere a moment ago and is not held yet: most slips and guesses could not. */
  couldBeKey(text: string): boolean
  /** The same as `held`, after asking the database. */
  lookUp(key: string): Promise<Caller | null>
  hash(key: string): string
  /** Takes a change in; resolves when it holds here, or when it could not be read and will be tried again. `null`: anything may have changed. */
  hear(change: Change | null): Promise<void>
  /** At once, before any look at the database. */
  drop(ids: { keyId?: string; userId?: string; partnerId?: string }): void
  isReady(): boolean
}

declare module '../../kernel/context.ts' {
  interface Context {
    keys: KeyRing
  }
}

interface Held {
  entry: KeyEntry
  caller: Caller
}

const RETRY_MS = 300

export function createKeyRing({
  db,
  pepper,
  scale,
  log,
  brokenRows,
}: {
  db: Database
  pepper: string
  scale: number
  log: Log
  brokenRows: BrokenRows
}): KeyRing {
  let held = new Map<string, Held>()
  let ready = false
  let queue: Promise<void> = Promise.resolve()
  let changes = 0
  // A connection sends the same key again and again. It is remembered for as long as there is the connection, and no longer.
  const lastOver = new WeakMap<object, { key: string; hash: string }>()

  const hashOf = (key: string, connection: object): string => {
    const last = lastOver.get(connection)
    if (last?.key === key) return last.hash
    const hash = hashKey(pepper, key)
    lastOver.set(connection, { key, hash })
    return hash
  }

  // Live keys whose rows are not as they must be: they stand for no caller.
  const broken = new Map<string, KeyEntry>()

  const hold = (ring: Map<string, Held>, entry: KeyEntry): Caller | null => {
    if (keyProblem(entry) !== undefined) {
      broken.set(entry.id, entry)
      return null
    }
    const caller = callerOf(entry, scale)
    ring.set(entry.hash, { entry, caller })
    return caller
  }

  const forget = (concerns: (entry: KeyEntry) => boolean) => {
    changes++
    for (const [hash, { entry }] of held) if (concerns(entry)) held.delete(hash)
    for (const [id, entry] of broken) if (concerns(entry)) broken.delete(id)
  }

  const noteBroken = () =>
    brokenRows.replace(
      ['key'],
      [...broken.values()].map((entry) => [{ kind: 'key', id: entry.id, name: entry.id, reason: keyProblem(entry)! }]),
    )

  const forgetAbout = ({ ids = [] }: Change) => {
    const concerned = new Set(ids)
    forget(
      (entry) => concerned.has(entry.id) || concerned.has(entry.userId ?? '') || concerned.has(entry.partnerId ?? ''),
    )
  }

  async function refresh(change: Change | null) {
    if (change?.ids === undefined) {
      const ring = new Map<string, Held>()
      const entries = await listLiveKeys(db)
      broken.clear()
      for (const entry of entries) hold(ring, entry)
      held = ring
      noteBroken()
      changes++
      ready = true
      return
    }
    const of = (topic: string) => (change.topic === topic ? change.ids! : [])
    const ids = { keys: of('keys'), users: of('users'), partners: of('partners') }
    const entries = await listLiveKeysOf(db, ids)
    forgetAbout(change)
    for (const entry of entries) hold(held, entry)
    noteBroken()
  }

  // A key that was revoked while it was being looked up must not be held: look again after any change.
  async function find(hash: string): Promise<Caller | null> {
    const before = changes
    const entry = await findLiveKeyByHash(db, hash)
    if (before !== changes) return held.get(hash)?.caller ?? find(hash)
    return entry ? hold(held, entry) : null
  }

  return {
    held: (key, connection) => (hasKeyForm(key) ? (held.get(hashOf(key, connection))?.caller ?? null) : null),
    couldBeKey: (text) => hasKeyForm(text) && hasRightChecksum(text),
    lookUp: (key) => find(hashKey(pepper, key)),
    hash: (key) => hashKey(pepper, key),
    hear(change) {
      if (change !== null && !['keys', 'users', 'partners'].includes(change.topic)) return Promise.resolve()
      // At once: a key that was revoked must not live on while the database is slow.
      if (change !== null) forgetAbout(change)
      // One after the other, or an older look at the database could overwrite a newer one.
      queue = queue
        .then(() => refresh(change))
        .catch(async (error) => {
          log.warn({ err: error }, 'keys could not be read; trying again')
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref())
          void this.hear(change)
        })
      return queue
    },
    drop({ keyId, userId, partnerId }) {
      forget(
        (entry) =>
          entry.id === keyId ||
          (userId !== undefined && entry.userId === userId) ||
          (partnerId !== undefined && entry.partnerId === partnerId),
      )
      noteBroken()
    },
    isReady: () => ready,
  }
}
