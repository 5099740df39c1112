// All live keys in memory, so that a key is checked without the database and works while the database is down.
import type { BrokenRows } from '../../kernel/broken-rows.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Change, Database, Log } from '../../kernel/context.ts'
import { findLiveKeyByHash, listLiveKeys, listLiveKeysOf } from './queries.ts'
import { callerOf, hashKey, hasKeyForm, hasRightChecksum, type KeyEntry, keyProblem } from './rules.ts'

export interface KeyCache {
  /** The caller of a key that is in memory, or null. `connection` is the connection that sent the key. */
  findCached(key: string, connection: object): Caller | null
  /** Whether the text may be a key that another process created a moment ago and that is not in memory yet. Rules out most typos and guesses. */
  couldBeKey(text: string): boolean
  /** The caller of a key according to the database, or null. */
  lookUp(key: string): Promise<Caller | null>
  hash(key: string): string
  /** Applies a change; `null` means that anything may have changed. Resolves when it is applied, or could not be read and will be tried again. */
  apply(change: Change | null): Promise<void>
  /** Removes keys from memory at once, without asking the database. */
  drop(ids: { keyId?: string; userId?: string; partnerId?: string }): void
  isReady(): boolean
}

declare module '../../kernel/context.ts' {
  interface Context {
    keys: KeyCache
  }
}

interface CachedKey {
  entry: KeyEntry
  caller: Caller
}

const RETRY_MS = 300

export function createKeyCache({
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
}): KeyCache {
  let cached = new Map<string, CachedKey>()
  let ready = false
  let queue: Promise<void> = Promise.resolve()
  let changes = 0
  // A connection mostly sends the same key with every request, so its hash is kept as long as the connection exists.
  const lastKeyOf = new WeakMap<object, { key: string; hash: string }>()

  const hashOf = (key: string, connection: object): string => {
    const last = lastKeyOf.get(connection)
    if (last?.key === key) return last.hash
    const hash = hashKey(pepper, key)
    lastKeyOf.set(connection, { key, hash })
    return hash
  }

  // Live keys whose rows are broken: requests with them are refused.
  const broken = new Map<string, { entry: KeyEntry; reason: string }>()

  const add = (cache: Map<string, CachedKey>, entry: KeyEntry): Caller | null => {
    const reason = keyProblem(entry)
    if (reason !== undefined) {
      broken.set(entry.id, { entry, reason })
      return null
    }
    const caller = callerOf(entry, scale)
    cache.set(entry.hash, { entry, caller })
    return caller
  }

  const forget = (concerns: (entry: KeyEntry) => boolean) => {
    changes++
    for (const [hash, { entry }] of cached) if (concerns(entry)) cached.delete(hash)
    for (const [id, { entry }] of broken) if (concerns(entry)) broken.delete(id)
  }

  const noteBroken = () =>
    brokenRows.replace(
      ['key'],
      [...broken].map(([id, { reason }]) => [{ kind: 'key', id, name: id, reason }]),
    )

  const forgetChanged = ({ ids = [] }: Change) => {
    const concerned = new Set(ids)
    forget(
      (entry) => concerned.has(entry.id) || concerned.has(entry.userId ?? '') || concerned.has(entry.partnerId ?? ''),
    )
  }

  async function refresh(change: Change | null) {
    if (change?.ids === undefined) {
      const cache = new Map<string, CachedKey>()
      const entries = await listLiveKeys(db)
      broken.clear()
      for (const entry of entries) add(cache, entry)
      cached = cache
      noteBroken()
      changes++
      ready = true
      return
    }
    const { topic: changedTopic, ids: changedIds } = change
    const idsOf = (topic: string) => (changedTopic === topic ? changedIds : [])
    const ids = { keys: idsOf('keys'), users: idsOf('users'), partners: idsOf('partners') }
    const entries = await listLiveKeysOf(db, ids)
    forgetChanged(change)
    for (const entry of entries) add(cached, entry)
    noteBroken()
  }

  // A key that is revoked during the lookup must not be added, so the lookup is repeated after any change.
  async function find(hash: string): Promise<Caller | null> {
    const before = changes
    const entry = await findLiveKeyByHash(db, hash)
    if (before !== changes) return cached.get(hash)?.caller ?? find(hash)
    return entry ? add(cached, entry) : null
  }

  return {
    findCached: (key, connection) => (hasKeyForm(key) ? (cached.get(hashOf(key, connection))?.caller ?? null) : null),
    couldBeKey: (text) => hasKeyForm(text) && hasRightChecksum(text),
    lookUp: (key) => find(hashKey(pepper, key)),
    hash: (key) => hashKey(pepper, key),
    apply(change) {
      if (change !== null && !['keys', 'users', 'partners'].includes(change.topic)) return Promise.resolve()
      // Forgotten at once, because a revoked key must not work on while the database is slow.
      if (change !== null) forgetChanged(change)
      // One after the other, because otherwise an older read could overwrite a newer one.
      queue = queue
        .then(() => refresh(change))
        .catch(async (error) => {
          log.warn({ err: error }, 'keys could not be read; trying again')
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref())
          void this.apply(change)
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
