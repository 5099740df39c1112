// The one guard for concurrent changes: a writer gives back the version that was read, and it is compared in the transaction of the write.
import type { TransactionContext } from '../../kernel/context.ts'
import { Failure } from '../../kernel/errors.ts'
import { findLastEntry, type StoredEntry } from './queries.ts'

/** Something that operators change, locked until the transaction ends. */
export interface Guarded {
  /** As the refusal names it, such as `partner Acme`. */
  name: string
  /** undefined: there is none. */
  version: number | undefined
  /** Of its entries in the audit log. */
  subject: string
  /** The actions in the audit log that raise its version. */
  actions: readonly string[]
  /** What such an entry says, where the subject has others of the same action. */
  details?: Record<string, unknown>
  /** Imports are logged as a whole. Given for what they may change, with the time of its last change where that is kept. */
  importable?: { changedAt?: Date }
  /** Who changed it last, where the audit log does not say. */
  last?: Change
}

interface Change {
  actor: string
  at: Date
}

/** Throws a 409 that says what was changed, by whom and when, unless the thing is what the writer has read. */
export async function checkVersion(
  ctx: TransactionContext,
  ifVersion: number | undefined,
  thing: Guarded,
): Promise<void> {
  const version = thing.version ?? 0
  if (ifVersion === undefined || ifVersion === version) return
  const entry = await findLastEntry(ctx.db, thing.subject, thing.actions, thing.details)
  const changes = thing.last ? [thing.last] : await lastChanges(ctx, thing, entry)
  const last = changes.at(-1)
  throw new Failure(
    409,
    `${sentence(thing, ifVersion, changes, fieldsOf(entry, last))} Nothing was saved. ${version === 0 ? MAKE_ANEW : LOOK_AGAIN}`,
    {
      details: { version, ...(last ? { changedBy: last.actor, changedAt: last.at.toISOString() } : {}) },
    },
  )
}

const LOOK_AGAIN = 'Look at it as it is now, then decide and send your change again.'
const MAKE_ANEW = 'If it is still wanted, send it as a new one.'

/** One, or where an import may have made the change or may not have, two. */
async function lastChanges(
  ctx: TransactionContext,
  { importable }: Guarded,
  entry: StoredEntry | undefined,
): Promise<Change[]> {
  const own = entry ? [entry] : []
  const found = importable && (await findLastEntry(ctx.db, 'catalog', ['catalog.import']))
  if (!found || (entry && entry.id > found.id)) return own
  const imported = { actor: `an import of ${found.actor}`, at: found.at }
  if (!importable.changedAt) return [...own, imported]
  // An entry is written after the row that it is about, in the same transaction.
  return entry && entry.at >= importable.changedAt ? own : [imported]
}

function sentence({ name, version = 0 }: Guarded, ifVersion: number, changes: Change[], fields: string): string {
  const who = changes.map(({ actor, at }) => `by ${actor} at ${inWords(at)}`).join(', or ')
  const by = who === '' ? '' : ` ${who}`
  if (version === 0) return `The ${name} was deleted${by}, after you read it.`
  if (ifVersion === 0) return `There is a ${name} already, last changed${by}.`
  if (ifVersion > version)
    return `The ${name} has version ${version}, last changed${by}; ${ifVersion} is not one it had.`
  const times = version - ifVersion
  return times === 1
    ? `The ${name} was changed${by}${fields}, after you read it.`
    : `The ${name} was changed ${times} times after you read it, last${by}${fields}.`
}

const inWords = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** Names of fields, never their values. */
function fieldsOf(entry: StoredEntry | undefined, last: Change | undefined): string {
  if (!entry || entry !== last) return ''
  const { changed, fields } = entry.details
  const names =
    [changed, fields].find(Array.isArray) ?? (entry.action.endsWith('.change') ? Object.keys(entry.details) : [])
  return names.length === 0 ? '' : ` (${names.join(', ')})`
}
