// All live keys in memory, so that a key is checked without the database and works while the database is down.
import type { BrokenRows } from '../../kernel/broken-rows.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Change, Database, Log } from '../../kernel/context.ts'
import { createReads, type View } from '../../kernel/views.ts'
import { findLiveKeyByHash, listLiveKeys, listLiveKeysOf } from './queries.ts'
import { callerOf, hashKey, hasKeyForm, hasRightChecksum, type KeyEntry, keyProblem } from './rules.ts'

/** A key, or an access token, that works. */
export interface Credential {
  /** The row that announcements name: the key, or the grant of the token. */
  id: string
  hash: string
  userId: string | null
  partnerId: string | null
  /** In milliseconds; later it is refused. */
  expiresAt: number
  /** A sentence instead of the caller: the row is broken, and requests with it are refused. */
  caller: Caller | string
}

/** The rows whose credentials are wanted. */
export interface CredentialOwners {
  /** Rows of the source's own topic. */
  ids: string[]
  users: string[]
  partners: string[]
}

/** Where credentials are stored. */
export interface CredentialSource {
  /** Of the announcements that name its rows. */
  topic: string
  hasForm(text: string): boolean
  list(db: Database): Promise<Credential[]>
  listOf(db: Database, owners: CredentialOwners): Promise<Credential[]>
  find(db: Database, hash: string): Promise<Credential | undefined>
}

/** A key is not in memory while a change of it is being read. */
export interface KeyCache extends View {
  /** The caller of a key that is in memory, or null. `connection` is the connection that sent the key. */
  findCached(key: string, connection: object): Caller | null
  /** Whether the text may be a key that another process created a moment ago and that is not in memory yet. Rules out most typos and guesses. */
  couldBeKey(text: string): boolean
  /** The caller of a key according to the database, or null. */
  lookUp(key: string): Promise<Caller | null>
  hash(key: string): string
  /** Adds another kind of credential, before the cache is loaded. Sources are tried in order; keys last. */
  addSource(source: CredentialSource): void
}

declare module '../../kernel/context.ts' {
  interface Context {
    keys: KeyCache
  }
}

/** The API keys. */
const keySource = (scale: number): CredentialSource => {
  const credentialOf = (entry: KeyEntry): Credential => ({
    id: entry.id,
    hash: entry.hash,
    userId: entry.userId,
    partnerId: entry.partnerId,
    expiresAt: entry.endsAt?.getTime() ?? Number.POSITIVE_INFINITY,
    caller: keyProblem(entry) ?? callerOf(entry, scale),
  })
  return {
    topic: 'keys',
    hasForm: hasKeyForm,
    list: async (db) => (await listLiveKeys(db)).map(credentialOf),
    listOf: async (db, { ids, ...owners }) => (await listLiveKeysOf(db, { keys: ids, ...owners })).map(credentialOf),
    find: async (db, hash) => {
      const entry = await findLiveKeyByHash(db, hash)
      return entry && credentialOf(entry)
    },
  }
}

interface CachedCredential extends Credential {
  caller: Caller
}

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
  const sources = [keySource(scale)]
  const topics = new Set(['users', 'partners', ...sources.map(({ topic }) => topic)])
  let cached = new Map<string, CachedCredential>()
  let ready = false
  const reads = createReads(log, 'keys could not be read; trying again')
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
  const broken = new Map<string, { entry: Credential; reason: string }>()

  const add = (cache: Map<string, CachedCredential>, entry: Credential): Caller | null => {
    const { caller } = entry
    if (typeof caller === 'string') {
      broken.set(entry.id, { entry, reason: caller })
      return null
    }
    cache.set(entry.hash, { ...entry, caller })
    return caller
  }

  const forget = (concerns: (entry: Credential) => boolean) => {
    changes++
    const now = Date.now()
    // What has expired is removed here as well, because every new token is a change.
    for (const [hash, entry] of cached) if (entry.expiresAt <= now || concerns(entry)) cached.delete(hash)
    for (const [id, { entry }] of broken) if (concerns(entry)) broken.delete(id)
  }

  const noteBroken = () =>
    brokenRows.replace(
      ['key'],
      [...broken].map(([id, { reason }]) => [{ kind: 'key', id, name: id, reason }]),
    )

  const concernedBy = ({ ids = [] }: Change) => {
    const concerned = new Set(ids)
    return (entry: Credential) =>
      concerned.has(entry.id) || concerned.has(entry.userId ?? '') || concerned.has(entry.partnerId ?? '')
  }

  /** Changes whose rows are still to be read. What a read brings meanwhile may be older than they are. */
  const waiting = new Set<Change>()
  const addCurrent = (cache: Map<string, CachedCredential>, entries: readonly Credential[]) => {
    const concerns = [...waiting].map(concernedBy)
    for (const entry of entries) if (!concerns.some((concern) => concern(entry))) add(cache, entry)
  }

  async function refresh(change: Change | null) {
    if (change?.ids === undefined) {
      const cache = new Map<string, CachedCredential>()
      const entries: Credential[] = []
      for (const source of sources) entries.push(...(await source.list(db)))
      broken.clear()
      addCurrent(cache, entries)
      cached = cache
      noteBroken()
      changes++
      ready = true
      return
    }
    const { topic: changedTopic, ids: changedIds } = change
    const idsOf = (topic: string) => (changedTopic === topic ? changedIds : [])
    const owners = { users: idsOf('users'), partners: idsOf('partners') }
    const entries: Credential[] = []
    for (const source of sources) {
      const ids = idsOf(source.topic)
      if (ids.length + owners.users.length + owners.partners.length > 0)
        entries.push(...(await source.listOf(db, { ids, ...owners })))
    }
    waiting.delete(change)
    forget(concernedBy(change))
    addCurrent(cached, entries)
    noteBroken()
  }

  // A key that is revoked during the lookup must not be added, so the lookup is repeated after any change.
  async function find(source: CredentialSource, hash: string): Promise<Caller | null> {
    const before = changes
    const entry = await source.find(db, hash)
    if (before !== changes) return cached.get(hash)?.caller ?? find(source, hash)
    // The clock of the database may be behind ours.
    return entry && entry.expiresAt > Date.now() ? add(cached, entry) : null
  }

  return {
    addSource(source) {
      sources.unshift(source)
      topics.add(source.topic)
    },
    findCached(key, connection) {
      const found = hasKeyForm(key) ? cached.get(hashOf(key, connection)) : undefined
      return found !== undefined && found.expiresAt > Date.now() ? found.caller : null
    },
    couldBeKey: (text) => hasKeyForm(text) && hasRightChecksum(text),
    async lookUp(key) {
      const source = sources.find(({ hasForm }) => hasForm(key))
      return source ? find(source, hashKey(pepper, key)) : null
    },
    hash: (key) => hashKey(pepper, key),
    apply(change) {
      if (change !== null && !topics.has(change.topic)) return Promise.resolve()
      // Forgotten at once, because a revoked key must not work on while the database is slow.
      if (change !== null) {
        forget(concernedBy(change))
        if (change.ids) waiting.add(change)
      }
      return reads.add(() => refresh(change))
    },
    settled: reads.settled,
    isLoaded: () => ready,
    close: reads.close,
  }
}
