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
   * Set if imports can change the thing. An import writes one audit entry with the subject `catalog`, so the entries of this thing do not
   * show it. `changedAt`: when the row was last changed, if its table stores that.
   */
  importable?: { changedAt?: Date }
  /** The last change, for things whose changes are not in the audit log. */
  lastChange?: Change
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
  const changes = thing.lastChange ? [thing.lastChange] : await lastChanges(ctx, thing, entry)
  const last = changes.at(-1)
  throw new Failure(
    409,
    `${sentence(thing, ifVersion, changes, fieldsOf(entry, last))} Nothing was saved. ${version === 0 ? SEND_AS_NEW : LOOK_AGAIN}`,
    {
      code: 'version_conflict',
      details: { version, ...(last ? { changedBy: last.actor, changedAt: last.at.toISOString() } : {}) },
    },
  )
}

const LOOK_AGAIN = 'Look at it as it is now, then decide and send your change again.'
const SEND_AS_NEW = 'If it is still wanted, send it as a new one.'

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
  // A writer changes the row and then adds the audit entry, in one transaction. So if the entry is older than the row, the import changed
  // the row last.
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
 * The names of the changed fields in parentheses, never their values, which may be private. The details of an audit entry list the names in
 * `changed` or `fields`. Actions that end in `.change` may have no such list; then the names of the details are the names of the fields.
 */
function fieldsOf(entry: StoredAuditEntry | undefined, last: Change | undefined): string {
  // `last` is the same object as `entry` only when that entry is the last change. Otherwise it is an import, or a change that is not
  // logged, and no entry names its fields.
  if (!entry || entry !== last) return ''
  const { changed, fields } = entry.details
  const names =
    [changed, fields].find(Array.isArray) ?? (entry.action.endsWith('.change') ? Object.keys(entry.details) : [])
  return names.length === 0 ? '' : ` (${names.join(', ')})`
}
