import { Type } from 'typebox'
import {
  booleanType,
  nullable,
  objectType,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../../kernel/schema.ts'
import { daysText } from '../../../kernel/values/text.ts'
import { CHECK_DAYS, PROOF_METHODS } from './rules.ts'

export const CLAIM_ID = '01a2f0de-9c41-7d5e-8b32-4d2b0e7f3c22'

const text = (description: string, example: string) => stringType(description, example)
const method = oneOf(PROOF_METHODS, 'How it was proven.', 'dns')

export const namedTool = titledObject('NamedTool', 'The listing.', {
  slug: text('Slug of the tool.', 'acme-writer'),
  name: text('Name of the tool.', 'Acme Writer'),
})

/** The account of a founder, as operators see it. */
export const founder = titledObject('Founder', 'The account.', {
  id: stringType('Identifier of the user.', '0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10'),
  email: stringType('E-mail address of the user.', 'ada@example.com'),
})

export const ownerSchema = titledObject('Owner', 'An account that has proven that a listing is its own.', {
  id: text('Identifier of the owner of this listing.', CLAIM_ID),
  tool: namedTool,
  user: founder,
  method: nullable(method),
  provenAt: nullable(timestamp('Since when the account owns the listing; null until the claim is proven.')),
  checkedAt: nullable(timestamp('When the proof was last looked for.')),
  failedAt: nullable(
    timestamp(`When it was first not found; a second time ${daysText(CHECK_DAYS.missing)} later ends it.`),
  ),
  createdAt: timestamp('When the claim was begun.'),
})

export const ownerExample = {
  id: CLAIM_ID,
  tool: { slug: 'acme-writer', name: 'Acme Writer' },
  user: { id: '0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10', email: 'ada@example.com' },
  method: 'dns',
  provenAt: '2026-03-01T09:30:00.000Z',
  checkedAt: '2026-03-01T09:30:00.000Z',
  failedAt: null,
  createdAt: '2026-03-01T09:00:00.000Z',
}

export const ownClaimSchema = objectType('The claim of the signed-in user.', {
  tool: namedTool,
  website: text("The product's own site.", 'https://acme-writer.example.com'),
  host: text('The host on which the file must be.', 'acme-writer.example.com'),
  domain: text('The domain on which a DNS entry counts too.', 'example.com'),
  token: nullable(text('What proves the claim; null until the claim is begun.', 'b1946ac92492d2347c6235b4d2611184')),
  isOwner: booleanType('Whether the claim is proven.', false),
  mustProve: booleanType('Whether the proof of the owner was not found, or must be shown on another website.', false),
  failedAt: nullable(timestamp('When the proof was first not found.')),
  method: nullable(method),
  isFull: booleanType('Whether the listing has as many owners as it may have.', false),
})

export const lookSchema = Type.Object({
  method: nullable(method),
  unreachable: Type.Array(method, { description: 'The places that could not be reached.', examples: [[]] }),
  notes: Type.Object({
    dns: text('What became of looking in DNS.', 'The DNS entry was not found.'),
    file: text('What became of looking for the file.', 'The site answered 404.'),
    meta: text('What became of looking at the page.', 'The site answers, but the token was not found.'),
  }),
})
