import { Type } from 'typebox'
import {
  booleanType,
  integerType,
  nullable,
  objectType,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../kernel/schema.ts'
import { plan } from '../accounts/schema.ts'

/** How the service knows a program: by the document at its address, or by dynamic registration. */
export const CLIENT_KINDS = ['document', 'registered'] as const

/** Why a grant ended. */
export const ENDINGS = ['user', 'operator', 'program', 'reuse', 'expired'] as const
export type Ending = (typeof ENDINGS)[number]
/** The texts of the endings on pages. */
export const ENDING_LABELS = {
  user: 'Withdrawn by the user',
  operator: 'Withdrawn by the operator',
  program: 'Signed out in the program',
  reuse: 'Ended: a token was used twice',
  expired: 'Not used any more',
} as const satisfies Record<Ending, string>

const GRANT_ID = '5b0c6a52-3d6e-4a07-9a0e-0a9f3c1d7e21'

export const grantId = stringType('Identifier of the grant.', GRANT_ID)

const calls = (of: string) => integerType(`Charged ${of} calls of the last 30 days.`, 120, { minimum: 0 })

const grantFields = {
  id: grantId,
  clientId: stringType(
    'Identifier of the program: the address of its metadata document, or one that its registration got.',
    'https://agent.example.com/oauth/client.json',
  ),
  kind: oneOf(CLIENT_KINDS, 'How the program is known.', 'document'),
  program: stringType('Name of the program, as the program gives it.', 'Example Agent'),
  website: nullable(stringType('Address of the program, as the program gives it.', 'https://agent.example.com/')),
  plan,
  operator: booleanType(
    'Whether it may also work as an operator at /mcp/operator, while the user is an administrator.',
    false,
  ),
  policyVersion: stringType('The version of the acceptable-use policy that was agreed to.', '2026-11-01'),
  policyAgreedAt: timestamp('When the user agreed to it.'),
  createdAt: timestamp('When access was allowed.'),
  lastUsedAt: nullable(timestamp('When it was last used.')),
  restCalls: calls('REST'),
  mcpCalls: calls('MCP'),
  endedAt: nullable(timestamp('When it ended; null while it works.')),
  endedBy: nullable(oneOf(ENDINGS, 'Why it ended.', 'user')),
}

export const ownGrantSchema = objectType('The permission of a program to read the catalog for the user.', grantFields)

export const grantSchema = titledObject('Grant', 'The permission of a program to read the catalog for a user.', {
  ...grantFields,
  userId: stringType('The user.', '0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10'),
  owner: stringType('E-mail address of the user.', 'ada@example.com'),
})

export const grantFilters = {
  user: Type.Optional(stringType('Only grants of this user.', '0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10')),
  live: Type.Optional(booleanType('Only grants that work, or with false only ended ones.', true)),
}
