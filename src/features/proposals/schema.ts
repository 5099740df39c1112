import { Type } from 'typebox'
import {
  nullable,
  nullableObject,
  objectType,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../kernel/schema.ts'
import { version } from '../audit/schema.ts'
import type { ListedKind } from '../catalog/schema.ts'

/**
 * Who proposes changes of a listing: a partner that submitted it, a founder who owns it, a look at the pages of a directory, or the
 * language model.
 */
export const AUTHOR_KINDS = ['partner', 'owner', 'look', 'model'] as const
export const REVIEW_STATES = ['waiting', 'accepted', 'refused'] as const
/**
 * - `applied`: the owner changed the field without asking, and the row is the history of it.
 * - `undone`: the owner has taken an applied change or a waiting proposal back.
 */
export const PROPOSAL_STATES = [...REVIEW_STATES, 'applied', 'undone'] as const
/** The decision of an administrator, and the state after it. */
export const DECISIONS = ['accept', 'refuse'] as const
export type Decision = (typeof DECISIONS)[number]
export const STATE_AFTER = { accept: 'accepted', refuse: 'refused' } as const satisfies Record<Decision, string>

const PROPOSAL_ID = '0199d2c4-9b20-7c3e-9f51-2b1f0c6f2a11'
export const proposalId = stringType('Identifier of the proposal.', PROPOSAL_ID)
const value = (description: string, example: unknown) => Type.Unsafe<unknown>({ description, examples: [example] })

const listing = (kind: ListedKind, { slug, name }: { slug: string; name: string }) =>
  nullableObject(
    Type.Object({
      id: stringType(`Identifier of the ${kind}.`, '0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11'),
      slug: stringType(`Slug of the ${kind}.`, slug),
      name: stringType(`Name of the ${kind}.`, name),
    }),
    `The ${kind}; null when the listing is a ${kind === 'tool' ? 'directory' : 'tool'}.`,
  )

export const proposalSchema = titledObject(
  'Proposal',
  'A change of a listing that waits for an administrator, or did, or that an owner made.',
  {
    id: proposalId,
    tool: listing('tool', { slug: 'acme-writer', name: 'Acme Writer' }),
    directory: listing('directory', { slug: 'launch-list', name: 'Launch List' }),
    author: objectType('Who proposes it.', {
      kind: oneOf(
        AUTHOR_KINDS,
        'A partner, an owner of the listing, a look at the pages of a directory, or the language model.',
        'partner',
      ),
      id: stringType('Identifier of the partner or user.', '8c0c2b0e'),
      name: stringType("The partner's name or the user's e-mail address.", 'Example Launch Platform'),
    }),
    field: stringType('Field of the listing.', 'tagline'),
    old: value('The value when it was proposed.', 'Writes mail'),
    new: value('The value that is proposed.', 'Drafts your mail in your own voice'),
    current: value('The value of now.', 'Writes mail'),
    quote: nullable(
      stringType(
        'What the page says that a look relies on, and where; null when a person proposes.',
        'Submission fee: $19 (https://launch-list.example.org/submit)',
      ),
    ),
    state: oneOf(
      PROPOSAL_STATES,
      'Whether it was decided, and how; applied: an owner changed it without asking; undone: the owner took it back.',
      'waiting',
    ),
    reason: stringType('Why it was decided so.', ''),
    decidedBy: nullable(stringType('Who decided.', 'op@example.com')),
    decidedAt: nullable(timestamp('When it was decided.')),
    version,
    createdAt: timestamp('When it was proposed.'),
  },
)

export const decisionBody = titledObject('ProposalDecision', 'What becomes of a proposal.', {
  decision: oneOf(DECISIONS, 'accept: the listing gets the value; refuse: it stays as it is.', 'accept'),
  reason: Type.Optional(stringType('Why, for the record.', 'Too long', { maxLength: 1000 })),
})

export const proposalFilters = {
  state: Type.Optional(oneOf(PROPOSAL_STATES, 'Only this state.', 'waiting')),
  author: Type.Optional(oneOf(AUTHOR_KINDS, 'Only those of such authors.', 'model')),
  tool: Type.Optional(stringType('Only those of this tool, by its slug.', 'acme-writer', { maxLength: 200 })),
  directory: Type.Optional(stringType('Only those of this directory, by its slug.', 'launch-list', { maxLength: 200 })),
}
