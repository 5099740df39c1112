// All live keys in memory, so that a key is checked without the database and works while the database is down.
import type { Caller } from '../../kernel/caller.ts'
import type { BrokenRows } from '../../kernel/checks/broken-rows.ts'
import type { Change, Database } from '../../kernel/context.ts'
import type { FeatureParts } from '../../kernel/feature.ts'
import { createReads, type View } from '../../kernel/views.ts'
import { findLiveKeyByHash, listLiveKeys, listLiveKeysOf } from './queries.ts'
import { callerOf, hashKey, hasKeyForm, hasRightChecksum, type KeyEntry, keyProblem } from './rules.ts'

/** A live API key, or a live access token of an OAuth client. */
export interface Credential {
  /** The id of the key, or of the grant of the access token. Change announcements contain it. */
  id: string
  hash: string
  userId: string | null
  partnerId: string | null
  /** In milliseconds since 1970. From then on, requests with the credential are refused. */
  expiresAt: number
  /** A string says what is wrong with the stored row; requests with such a credential are refused. */
  caller: Caller | string
}

/** Selects the credentials that have one of these ids or belong to one of these users or partners. */
interface CredentialOwners {
  ids: string[]
  users: string[]
  partners: string[]
}

/** One kind of credential and the queries that read it: API keys (below) or access tokens (`features/oauth`). */
export interface CredentialSource {
  /** Topic of the change announcements that contain ids of this source's rows. */
  topic: string
  hasForm(text: string): boolean
  list(db: Database): Promise<Credential[]>
  listOf(db: Database, owners: CredentialOwners): Promise<Credential[]>
  find(db: Database, hash: string): Promise<Credential | undefined>
}

/** After a change announcement, the affected keys are not in memory until they are read again. Only `lookUp` finds them meanwhile. */
interface KeyCache extends View {
  /** The caller of a key that is in memory, or null. `connection` is the connection that sent the key. */
  findCached(key: string, connection: object): Caller | null
  /** Whether the text may be a key that is not in memory yet, so that `lookUp` is worth a query. Rules out most typos and guesses. */
  couldBeKey(text: string): boolean
  /** The caller of a key according to the database, or null. */
  lookUp(key: string): Promise<Caller | null>
  hash(key: string): string
  /** Adds another kind of credential, before the cache is loaded. API keys are tried last, because their format matches all others. */
  addSource(source: CredentialSource): void
}

declare module '../../kernel/context.ts' {
  interface Context {
    keys: KeyCache
  }
}

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

type CacheParts = Pick<FeatureParts, 'db' | 'log' | 'pepper'> & { scale: number; brokenRows: BrokenRows }

export function createKeyCache({ db, pepper, scale, log, brokenRows }: CacheParts): KeyCache {
  const sources = [keySource(scale)]
  const topics = new Set(['users', 'partners', ...sources.map(({ topic }) => topic)])
  let cached = new Map<string, CachedCredential>()
  let ready = false
  const reads = createReads(log, 'keys could not be read; trying again')
  let changeCount = 0
  // Most connections send the same key with every request, so the hash of the last key is kept as long as the connection exists.
  const lastKeyOf = new WeakMap<object, { key: string; hash: string }>()

  const hashOf = (key: string, connection: object): string => {
    const last = lastKeyOf.get(connection)
    if (last?.key === key) return last.hash
    const hash = hashKey(pepper, key)
    lastKeyOf.set(connection, { key, hash })
    return hash
  }

  // Live credentials whose stored rows are broken, by id. Requests with them are refused.
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

  const forget = (isAffected: (entry: Credential) => boolean) => {
    changeCount++
    const now = Date.now()
    // Expired credentials are removed here too. That is often enough, because every new access token is a change.
    for (const [hash, entry] of cached) if (entry.expiresAt <= now || isAffected(entry)) cached.delete(hash)
    for (const [id, { entry }] of broken) if (isAffected(entry)) broken.delete(id)
  }

  const reportBroken = () =>
    brokenRows.replace(
      ['key'],
      [...broken].map(([id, { reason }]) => [{ kind: 'key', id, name: id, reason }]),
    )

  const isAffectedBy = ({ ids = [] }: Change) => {
    const changedIds = new Set(ids)
    return (entry: Credential) =>
      changedIds.has(entry.id) || changedIds.has(entry.userId ?? '') || changedIds.has(entry.partnerId ?? '')
  }

  /** Announced changes whose rows are not read again yet. Other reads do not add these rows, because they may have read an older state. */
  const waiting = new Set<Change>()
  const addCurrent = (cache: Map<string, CachedCredential>, entries: readonly Credential[]) => {
    const checks = [...waiting].map(isAffectedBy)
    for (const entry of entries) if (!checks.some((isAffected) => isAffected(entry))) add(cache, entry)
  }

  /** Reads the changed rows again; all rows when the change does not say which ones. */
  async function refresh(change: Change | null) {
    if (change?.ids === undefined) {
      const cache = new Map<string, CachedCredential>()
      const lists: (readonly Credential[])[] = []
      for (const source of sources) lists.push(await source.list(db))
      broken.clear()
      addCurrent(cache, lists.flat())
      cached = cache
      reportBroken()
      changeCount++
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
    forget(isAffectedBy(change))
    addCurrent(cached, entries)
    reportBroken()
  }

  // A key that is revoked during the lookup must not be added, so the lookup is repeated after any change.
  async function find(source: CredentialSource, hash: string): Promise<Caller | null> {
    const countBefore = changeCount
    const entry = await source.find(db, hash)
    if (countBefore !== changeCount) return cached.get(hash)?.caller ?? find(source, hash)
    // The database found the key live by its own clock, which may be behind this one.
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
      // Removed from memory at once, because a revoked key must not keep working while the database is slow.
      if (change !== null) {
        forget(isAffectedBy(change))
        if (change.ids) waiting.add(change)
      }
      return reads.add(() => refresh(change))
    },
    settled: reads.settled,
    isLoaded: () => ready,
    close: reads.close,
  }
}
