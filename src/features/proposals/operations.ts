// Operator API: changes of listings that partners, owners, looks at directories and the language model propose.
import { Type } from 'typebox'
import type { TransactionContext } from '../../kernel/context.ts'
import { lockText } from '../../kernel/database/queries.ts'
import { conflict, invalid, notFound, orNotFound } from '../../kernel/errors.ts'
import { operationsFor } from '../../kernel/operation.ts'
import { listPage, offsetOf } from '../../kernel/schema.ts'
import { versionGuard } from '../audit/schema.ts'
import { checkVersion } from '../audit/version-guard.ts'
import { writeAudit } from '../audit/write-audit.ts'
import { TOPIC } from '../catalog/schema.ts'
import { changeToolFields } from '../listings/entries/change-fields.ts'
import { findRecordForUpdate, lockTerms, updateListing } from '../listings/queries.ts'
import { type CheckedFields, readListingFields } from '../listings/rules.ts'
import { websiteKey } from '../listings/website-key.ts'
import { tellUser } from '../mail/mail.ts'
import * as queries from './queries.ts'
import { decisionBody, proposalFilters, proposalId, proposalSchema, STATE_AFTER } from './schema.ts'

const operation = operationsFor('operator', 'Proposals')

const TIME = '2026-03-01T09:30:00.000Z'
const example = {
  id: '0199d2c4-9b20-7c3e-9f51-2b1f0c6f2a11',
  tool: { id: '0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11', slug: 'acme-writer', name: 'Acme Writer' },
  directory: null,
  author: { kind: 'partner', id: '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10', name: 'Example Launch Platform' },
  field: 'tagline',
  old: 'Writes mail',
  new: 'Drafts your mail in your own voice',
  current: 'Writes mail',
  quote: null,
  state: 'waiting',
  reason: '',
  decidedBy: null,
  decidedAt: null,
  version: 1,
  createdAt: TIME,
}

export const listProposalRows = operation({
  name: 'list_proposals',
  summary: 'List proposals',
  description:
    'Changes of listings that partners, owners, looks at directories and the language model propose, and those that owners made without asking (state applied), newest first. What a look proposes has the quote that it relies on.',
  method: 'GET',
  path: '/proposals',
  parameters: Type.Object({ ...proposalFilters, ...listPage }),
  data: Type.Array(proposalSchema),
  example: { success: true, data: [example] },
  tool: {
    title: 'Proposed changes of listings',
    description: 'Values proposed for fields of listings.',
    omit: ['author', 'directory'],
    shows: ['id', 'tool', 'directory', 'author', 'field', 'new', 'current', 'quote', 'state', 'version'],
  },
  run: async (ctx, input) => {
    const data: ReturnType<typeof shownProposal>[] = []
    for await (const group of queries.listProposals(ctx.db, input, input.limit, offsetOf(input)))
      data.push(...group.map(shownProposal))
    return { data }
  },
})

export const decideProposal = operation({
  name: 'decide_proposal',
  summary: 'Accept or refuse a proposal',
  description:
    'With accept the listing gets the proposed value, whatever it has now. The same decision again changes nothing; another one is a 409.',
  method: 'POST',
  path: '/proposals/:id',
  parameters: Type.Object({ id: proposalId, ...versionGuard.parameters }),
  body: decisionBody,
  data: proposalSchema,
  failures: [400, 404, ...versionGuard.failures],
  example: { success: true, data: { ...example, state: 'accepted', decidedBy: 'op@example.com', decidedAt: TIME } },
  tool: {
    description: 'Accepted, the listing gets the proposed value; refused, it stays as it is.',
    omit: ['ifVersion'],
    isFinal: true,
    isRepeatable: true,
    shows: ['id', 'field', 'current', 'state', 'reason', 'version'],
  },
  run: (ctx, { id, ifVersion }, { decision, reason = '' }) =>
    ctx.transaction(async (ctx) => {
      const known = orNotFound(await queries.findProposal(ctx.db, id), 'Proposal')
      // The category is locked before the listing, in the same order as when an operator changes a listing, so that the two cannot deadlock.
      if (decision === 'accept') await checkCategory(ctx, known.proposal)
      await lockListing(ctx, known)
      const before = orNotFound(await queries.findProposal(ctx.db, id), 'Proposal')
      const { proposal } = before
      const { slug, name } = listingOf(before)
      const state = STATE_AFTER[decision]
      if (proposal.state === state) return { data: shownProposal(before) }
      if (proposal.state !== 'waiting')
        throw conflict(`The proposal was ${proposal.state} already. Change the listing itself if it must be otherwise.`)
      await checkVersion(ctx, ifVersion, {
        name: `proposal for ${name}`,
        version: proposal.version,
        subject: `proposal:${id}`,
        actions: [],
      })
      if (decision === 'accept') await acceptProposal(ctx, before)
      await queries.updateDecision(ctx.db, id, { state, reason, decidedBy: ctx.caller.label, decidedAt: ctx.now() })
      const subject = before.tool ? { tool: slug } : { directory: slug }
      const decided = { field: proposal.field, ...subject, ...(reason ? { reason } : {}) }
      await writeAudit(ctx, `proposal.${decision}`, `proposal:${id}`, decided)
      if (proposal.authorKind === 'owner')
        await tellUser(ctx, {
          event: id,
          kind: 'proposal-decided',
          userId: proposal.authorId,
          details: { name, slug, field: proposal.field, decision: state, reason },
        })
      return { data: shownProposal(orNotFound(await queries.findProposal(ctx.db, id), 'Proposal')) }
    }),
})

type Found = NonNullable<Awaited<ReturnType<typeof queries.findProposal>>>

/** The tool or directory of the proposal. There is always one, because a listing is deleted with its proposals. */
function listingOf({ tool, directory }: Found) {
  const listing = tool ?? directory
  if (!listing) throw notFound('Proposal')
  return listing
}

async function lockListing(ctx: TransactionContext, { tool, directory }: Found): Promise<void> {
  if (tool) await queries.lockTool(ctx.db, tool.id)
  else if (directory) await findRecordForUpdate(ctx.db, 'directory', directory.slug)
}

/** Gives the listing the proposed value. The listing must be locked. */
async function acceptProposal(ctx: TransactionContext, found: Found): Promise<void> {
  const { proposal, tool, directory } = found
  const details = { proposal: proposal.id, author: `${proposal.authorKind}:${proposal.authorId}` }
  const fields = acceptedFields(found)
  if (tool) {
    await checkWebsite(ctx, tool.id, fields.website)
    const change = { action: 'tool.accept', details, isReviewed: true, isByOthers: true }
    await changeToolFields(ctx, tool, fields, change)
  } else if (directory) {
    await updateListing(ctx.db, 'directory', directory, fields, ctx.now())
    const was = Object.fromEntries(Object.keys(fields).map((name) => [name, valueIn(directory, name)]))
    await writeAudit(ctx, 'directory.accept', `directory:${directory.slug}`, { was, ...details })
    await ctx.announce({ topic: TOPIC.directory, ids: [directory.id] })
  }
}

const valueIn = (listing: object, name: string): unknown =>
  Object.entries(listing).find(([key]) => key === name)?.[1] ?? null

/**
 * The fields that an accepted proposal sets. They are checked again, because the rules may have become stricter since the proposal was made.
 * With what a directory says about automation, its quote and the day of reading are stored.
 */
function acceptedFields({ proposal: { field, newValue, quote, createdAt }, tool }: Found): CheckedFields {
  const source =
    field === 'automation' ? { automationQuote: quote, automationReadOn: createdAt.toISOString().slice(0, 10) } : {}
  const { fields, problems } = readListingFields(tool ? 'tool' : 'directory', { [field]: newValue, ...source })
  if (problems.length > 0) throw invalid(problems)
  return fields
}

/** Locks the proposed category, so that it is not deleted until the transaction ends. Throws a 409 when it does not exist any more. */
async function checkCategory(ctx: TransactionContext, { field, newValue }: queries.ProposalRow): Promise<void> {
  if (field !== 'category' || typeof newValue !== 'string') return
  if (!(await lockTerms(ctx.db, { category: [newValue] })).category.has(newValue))
    throw conflict(`The category ${newValue} does not exist any more. Create it again, or refuse the proposal.`)
}

async function checkWebsite(ctx: TransactionContext, toolId: string, website: unknown): Promise<void> {
  if (typeof website !== 'string') return
  const key = websiteKey(website)
  await lockText(ctx.db, `website:${key}`)
  const listed = await queries.findOtherWithWebsite(ctx.db, toolId, key)
  if (listed)
    throw conflict(`This website is listed already, as ${listed.name} at /tools/${listed.slug}. Refuse the proposal.`)
}

const shownProposal = (found: Found) => {
  const { proposal, tool, directory, authorName } = found
  return {
    ...proposal,
    tool: tool && { id: tool.id, slug: tool.slug, name: tool.name },
    directory: directory && { id: directory.id, slug: directory.slug, name: directory.name },
    author: { kind: proposal.authorKind, id: proposal.authorId, name: authorName },
    old: proposal.oldValue,
    new: proposal.newValue,
    current: valueIn(listingOf(found), proposal.field),
  }
}

export const proposalOperations = [listProposalRows, decideProposal]
