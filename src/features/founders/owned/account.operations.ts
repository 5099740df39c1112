// What an owner does with a listing: look at it, change it, and take a change back.
import { Type } from 'typebox'
import type { Context, TransactionContext } from '../../../kernel/context.ts'
import { orderedId } from '../../../kernel/database/ordered-id.ts'
import { badRequest, conflict, invalid, orNotFound } from '../../../kernel/errors.ts'
import { pageOperation } from '../../../kernel/operation.ts'
import { missing, type Problem, problem } from '../../../kernel/problem.ts'
import { booleanType, listPage, offsetOf, stringType } from '../../../kernel/schema.ts'
import { isObject } from '../../../kernel/values/objects.ts'
import { versionGuard } from '../../audit/schema.ts'
import { checkVersion } from '../../audit/version-guard.ts'
import { changesIn, writeAudit } from '../../audit/write-audit.ts'
import { findPartsWithoutPartner } from '../../enrichment/queries.ts'
import { madeTexts } from '../../enrichment/rules.ts'
import { nameSuccessor } from '../../health/operations.ts'
import { changeToolFields } from '../../listings/entries/change-fields.ts'
import { flaggedFields } from '../../listings/instructions/find-instructions.ts'
import { lockTerms } from '../../listings/queries.ts'
import { readListingFields } from '../../listings/rules.ts'
import { hostsOfKey, websiteKey } from '../../listings/website-key.ts'
import * as proposals from '../../proposals/queries.ts'
import { findToolByWebsite, isTakenDown } from '../../submissions/queries.ts'
import { listingValues } from '../../submissions/rules.ts'
import { knownTerms } from '../../submissions/submit/create-listing.ts'
import { matchTerms, readDraft } from '../../submissions/submit/read-submission.ts'
import { hasMoved } from '../claims/rules.ts'
import { firstShownDay, readNumbers } from './numbers.operations.ts'
import * as queries from './queries.ts'
import { EMPTY_VALUES, fieldsOfTool, MOST_CHANGES, slugIn, withAffiliate } from './rules.ts'
import * as schema from './schema.ts'

const bySlug = { slug: stringType('Slug of the tool.', 'acme-writer') }

export const getOwnListing = pageOperation({
  name: 'get_own_listing',
  parameters: Type.Object(bySlug),
  data: schema.ownListingSchema,
  run: async (ctx, { slug }) => {
    const { tool, claim } = await findOwned(ctx, slug)
    const { method, failedAt, website } = claim
    const made = madeTexts(await findPartsWithoutPartner(ctx.db, tool.id), tool.editedFields)
    return {
      data: {
        ...{ tool: { slug, name: tool.name }, published: tool.published, version: tool.version },
        ...{ method, failedAt, provenAt: claim.provenAt ?? claim.createdAt },
        mustProve: hasMoved(website, tool.website),
        fields: fieldsOfTool(tool),
        made: made.map((field) => (field === 'faqs' ? 'faq' : field)),
      },
    }
  },
})

/** How often people found, viewed and opened an own listing. */
export const getOwnNumbers = pageOperation({
  name: 'get_own_numbers',
  parameters: Type.Object(bySlug),
  data: schema.numbersSchema,
  run: async (ctx, { slug }) => {
    const { tool, claim } = await findOwned(ctx, slug)
    if (hasMoved(claim.website, tool.website)) throw hasMovedConflict()
    return { data: await readNumbers(ctx, tool.id) }
  },
})

/** How often people found, viewed and opened each own listing in the last 30 days. */
export const listOwnSums = pageOperation({
  name: 'list_own_sums',
  data: schema.sumsSchema,
  run: async (ctx) => {
    const rows = await queries.listSums(ctx.db, ctx.caller.id, firstShownDay(ctx))
    // An owner who has to show the token again sees no numbers.
    return { data: rows.filter(({ ownWebsite, website }) => !hasMoved(ownWebsite, website)) }
  },
})

export const listOwnChanges = pageOperation({
  name: 'list_own_changes',
  parameters: Type.Object({ ...bySlug, state: Type.Optional(schema.ownChangeSchema.properties.state), ...listPage }),
  data: Type.Array(schema.ownChangeSchema),
  run: async (ctx, { slug, state, ...page }) => {
    const owned = await findOwned(ctx, slug)
    const rows = await proposals.listChangesBy(ctx.db, { ...authorOf(owned), state }, page.limit, offsetOf(page))
    return { data: rows.map((row) => ({ ...row, old: row.oldValue, new: row.newValue })) }
  },
})

export const changeOwnListing = pageOperation({
  name: 'change_own_listing',
  bucket: 'submit',
  parameters: Type.Object({ ...bySlug, ...versionGuard.parameters }),
  body: schema.ownerFields,
  // The rules of submissions go beyond the schema, and all problems are reported together.
  rawBody: true,
  data: schema.changeResult,
  run: (ctx, { slug, ifVersion }, raw) =>
    ctx.transaction(async (ctx) => {
      const values = await readChange(ctx, raw)
      const owned = await lockOwned(ctx, slug)
      const { tool } = owned
      await checkVersion(ctx, ifVersion, {
        name: 'listing',
        version: tool.version,
        subject: `tool:${slug}`,
        actions: [],
        // The actor has no name here, because owners do not see the addresses of other people.
        lastChange: { actor: 'another person', at: tool.updatedAt },
      })
      const changes = changesIn(tool, values)
      await checkWebsite(ctx, tool.id, changes.website)
      return { data: await storeChanges(ctx, owned, changes, Object.keys(values)) }
    }),
})

/** The given fields as values of the listing. Throws a 400 with all problems. */
async function readChange(ctx: TransactionContext, raw: unknown): Promise<Record<string, unknown>> {
  const given = Object.fromEntries(
    Object.entries(isObject(raw) ? raw : {}).filter(([name]) => schema.isOwnerField(name)),
  )
  const emptied = Object.keys(given).filter((name) => given[name] === null || given[name] === '')
  const required = emptied.filter((name) => schema.isOwnerField(name) && !EMPTY_VALUES[name])
  const draft = readDraft(schema.ownerFields, given, ctx.outboundAllowed, ctx.publicUrl)
  const problems: readonly Problem[] = [...required.map(missing), ...draft.problems]
  const { body, category } = matchTerms({ ...draft, problems }, await knownTerms(ctx, draft))
  if (category) await lockTerms(ctx.db, { category: [category.slug] })
  const values: Record<string, unknown> = Object.assign(
    listingValues(ctx.publicUrl, body, category, []),
    ...emptied.map((name) => schema.isOwnerField(name) && EMPTY_VALUES[name]),
  )
  if (Object.keys(values).length === 0) throw badRequest('Nothing was changed. Change at least one field.')
  return values
}

/** Refuses at once a website that an administrator would have to refuse: another listing has it, or its host was taken down. */
async function checkWebsite(ctx: TransactionContext, toolId: string, website: unknown): Promise<void> {
  if (typeof website !== 'string') return
  const key = websiteKey(website)
  const listed = await findToolByWebsite(ctx.db, key)
  if (listed && listed.id !== toolId)
    throw invalid([problem('website', `is listed already, as ${listed.name} at /tools/${listed.slug}.`)])
  if (await isTakenDown(ctx.db, hostsOfKey(key)))
    throw invalid([problem('website', 'cannot be used: a listing of this host was taken down. Ask the operator.')])
}

const PROPOSED: ReadonlySet<string> = new Set(
  Object.entries(schema.OWNER_FIELDS).flatMap(([name, how]) => (how === 'proposed' ? name : [])),
)

/**
 * Writes the fields that an owner may change at once, and proposes the others to an administrator. A text that looks like an instruction to
 * a language model is also only proposed. `given` names all fields of the form, also those that do not change.
 */
async function storeChanges(
  ctx: TransactionContext,
  owned: queries.OwnedTool,
  changes: Record<string, unknown>,
  given: readonly string[],
) {
  const { tool } = owned
  const stored: Readonly<Record<string, unknown>> = tool
  const flagged = flaggedFields(changes)
  const isProposed = (field: string) => PROPOSED.has(field) || flagged.includes(field)
  const proposed = Object.keys(changes).filter(isProposed)
  const applied = Object.keys(changes).filter((field) => !isProposed(field))
  const author = authorOf(owned)
  const row = (field: string) => ({
    ...{ ...author, id: orderedId(), field, createdAt: ctx.now() },
    ...{ oldValue: stored[field] ?? null, newValue: changes[field] },
  })
  if (applied.length > 0) {
    const values = Object.fromEntries(applied.map((field) => [field, changes[field]]))
    await writeFields(ctx, tool, values, 'tool.edit')
    await proposals.insertApplied(ctx.db, applied.map(row))
  }
  const settled = given.filter((field) => !proposed.includes(field))
  if (settled.length > 0) await proposals.deleteWaitingProposals(ctx.db, author, settled)
  for (const field of proposed) await proposals.upsertProposal(ctx.db, row(field))
  if (proposed.length > 0) await writeAudit(ctx, 'proposal.create', `tool:${tool.slug}`, { fields: proposed })
  await proposals.deleteOldChanges(ctx.db, author, MOST_CHANGES)
  return { applied, proposed }
}

async function writeFields(
  ctx: TransactionContext,
  tool: queries.OwnedTool['tool'],
  values: Record<string, unknown>,
  action: string,
): Promise<void> {
  const { fields, problems } = readListingFields('tool', withAffiliate(values))
  if (problems.length > 0) throw invalid(problems)
  await changeToolFields(ctx, tool, fields, { action, isByOthers: true })
}

export const undoOwnChange = pageOperation({
  name: 'undo_own_change',
  bucket: 'submit',
  parameters: Type.Object({ ...bySlug, id: schema.ownChangeSchema.properties.id }),
  data: schema.ownChangeSchema,
  run: (ctx, { slug, id }) =>
    ctx.transaction(async (ctx) => {
      const owned = await lockOwned(ctx, slug)
      const { tool } = owned
      const change = orNotFound(await proposals.findChangeBy(ctx.db, authorOf(owned), id), 'Change')
      const { field, state, oldValue, newValue } = change
      if (state === 'accepted' || state === 'refused')
        throw conflict('An administrator has decided about this change. Propose another value instead.')
      if (state === 'applied') {
        if (Object.keys(changesIn(tool, { [field]: newValue })).length > 0)
          throw conflict(
            'The field was changed again after this change. Take the later change back first, or edit the listing.',
          )
        await writeFields(ctx, tool, { [field]: oldValue }, 'tool.undo')
      } else if (state === 'waiting') await writeAudit(ctx, 'proposal.undo', `tool:${slug}`, { fields: [field] })
      await proposals.updateUndone(ctx.db, id)
      return { data: { ...change, old: oldValue, new: newValue, state: 'undone' as const } }
    }),
})

export const nameOwnSuccessor = pageOperation({
  name: 'name_own_successor',
  bucket: 'submit',
  parameters: Type.Object(bySlug),
  body: Type.Object({
    successor: stringType(
      'Slug of another published tool, or the address of its page here; empty: none.',
      'beta-writer',
      { maxLength: schema.MOST_SUCCESSOR },
    ),
  }),
  data: Type.Object({ named: booleanType('Whether there is one now.', true) }),
  run: (ctx, { slug }, body) =>
    ctx.transaction(async (ctx) => {
      await lockOwned(ctx, slug)
      const successor = slugIn(ctx.publicUrl, body.successor)
      await nameSuccessor(ctx, 'tool', slug, successor, {})
      return { data: { named: successor !== null } }
    }),
})

async function findOwned(ctx: Context, slug: string): Promise<queries.OwnedTool> {
  return orNotFound(await queries.findOwnedTool(ctx.db, ctx.caller.id, slug), 'Listing')
}

/** The own listing, locked until the transaction ends. Throws if the owner may not change it now. */
async function lockOwned(ctx: TransactionContext, slug: string): Promise<queries.OwnedTool> {
  if (ctx.founders.mode === 'off') throw badRequest('This service takes no changes of owners.')
  const owned = orNotFound(await queries.findOwnedToolForUpdate(ctx.db, ctx.caller.id, slug), 'Listing')
  if (hasMoved(owned.claim.website, owned.tool.website)) throw hasMovedConflict()
  if (!owned.tool.published)
    throw conflict('The listing is not public at the moment, so it cannot be changed. Ask the operator.')
  return owned
}

const hasMovedConflict = () => conflict('The listing has another website now. Show your token there to own it again.')

const authorOf = ({ tool, claim }: queries.OwnedTool) =>
  ({ toolId: tool.id, authorKind: 'owner', authorId: claim.userId }) as const

export const ownListingOperations = [
  getOwnListing,
  getOwnNumbers,
  listOwnSums,
  listOwnChanges,
  changeOwnListing,
  undoOwnChange,
  nameOwnSuccessor,
]
