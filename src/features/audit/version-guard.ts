// Keeps writers from overwriting each other: a writer sends the version that it has read, and the transaction of the write compares it.
import type { TransactionContext } from '../../kernel/context.ts'
import { Failure } from '../../kernel/errors.ts'
import { findLastEntry, type StoredAuditEntry } from './queries.ts'

/** Something that operators change. Its row must be locked until the transaction ends. */
interface VersionedThing {
  /** How the error message names it, such as `partner Acme`. */
  name: string
  /** undefined: the thing does not exist. */
  version: number | undefined
  /** The subject of its entries in the audit log. */
  subject: string
  /** The actions in the audit log that raise its version. */
  actions: readonly string[]
  /** Details that tell its entries from others of the same subject and action. */
  details?: Record<string, unknown>
  /**
   * Set for things that imports may change: an import writes a single audit entry, of `catalog`, and none for each thing. `changedAt`: when
   * the row was last changed, if its table stores that.
   */
  importable?: { changedAt?: Date }
  /** The last change, for things whose changes are not in the audit log. */
  last?: Change
}

interface Change {
  actor: string
  at: Date
}

/** Throws a 409 that says what was changed, by whom and when, unless the thing still has the version that the writer has read. */
export async function checkVersion(
  ctx: TransactionContext,
  ifVersion: number | undefined,
  thing: VersionedThing,
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
      code: 'version_conflict',
      details: { version, ...(last ? { changedBy: last.actor, changedAt: last.at.toISOString() } : {}) },
    },
  )
}

const LOOK_AGAIN = 'Look at it as it is now, then decide and send your change again.'
const MAKE_ANEW = 'If it is still wanted, send it as a new one.'

/** The last change; two changes when either an import or the writer of `entry` may have made it. */
async function lastChanges(
  ctx: TransactionContext,
  { importable }: VersionedThing,
  entry: StoredAuditEntry | undefined,
): Promise<Change[]> {
  const loggedChanges = entry ? [entry] : []
  const lastImport = importable && (await findLastEntry(ctx.db, 'catalog', ['catalog.import']))
  if (!lastImport || (entry && entry.id > lastImport.id)) return loggedChanges
  const imported = { actor: `an import of ${lastImport.actor}`, at: lastImport.at }
  if (!importable.changedAt) return [...loggedChanges, imported]
  // The change of a row and its entry have one transaction, and the entry is written last. So an entry that is older than the row is not the
  // entry of its last change.
  return entry && entry.at >= importable.changedAt ? loggedChanges : [imported]
}

function sentence({ name, version = 0 }: VersionedThing, ifVersion: number, changes: Change[], fields: string): string {
  const authors = changes.map(({ actor, at }) => `by ${actor} at ${timeText(at)}`).join(', or ')
  const by = authors === '' ? '' : ` ${authors}`
  if (version === 0) return `The ${name} was deleted${by}, after you read it.`
  if (ifVersion === 0) return `There is a ${name} already, last changed${by}.`
  if (ifVersion > version) return `The ${name} has version ${version}, last changed${by}; ${ifVersion} never existed.`
  const times = version - ifVersion
  return times === 1
    ? `The ${name} was changed${by}${fields}, after you read it.`
    : `The ${name} was changed ${times} times after you read it, last${by}${fields}.`
}

const timeText = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`

/**
 * The names of the changed fields in parentheses, never their values, which may be private. The details of an audit entry list the names as
 * `changed` or `fields`. An entry without such a list whose action ends in `.change` has the changed fields themselves as its details.
 */
function fieldsOf(entry: StoredAuditEntry | undefined, last: Change | undefined): string {
  // The last change may also be an import, or not be in the audit log: then no entry names its fields.
  if (!entry || entry !== last) return ''
  const { changed, fields } = entry.details
  const names =
    [changed, fields].find(Array.isArray) ?? (entry.action.endsWith('.change') ? Object.keys(entry.details) : [])
  return names.length === 0 ? '' : ` (${names.join(', ')})`
}
