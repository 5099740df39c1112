import { Type } from 'typebox'
import { nullable, oneOf, timestamp } from '../../kernel/schema.ts'
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

export const grantId = Type.String({ description: 'Identifier of the grant.', examples: [GRANT_ID] })

const calls = (of: string) =>
  Type.Integer({ minimum: 0, description: `Charged ${of} calls of the last 30 days.`, examples: [120] })

const grantFields = {
  id: grantId,
  clientId: Type.String({
    description: 'Identifier of the program: the address of its metadata document, or one that its registration got.',
    examples: ['https://agent.example.com/oauth/client.json'],
  }),
  kind: oneOf(CLIENT_KINDS, { description: 'How the program is known.', examples: ['document'] }),
  program: Type.String({ description: 'Name of the program, as the program gives it.', examples: ['Example Agent'] }),
  website: nullable(
    Type.String({
      description: 'Address of the program, as the program gives it.',
      examples: ['https://agent.example.com/'],
    }),
  ),
  plan,
  operator: Type.Boolean({
    description: 'Whether it may also work as an operator at /mcp/operator, while the user is an administrator.',
    examples: [false],
  }),
  policyVersion: Type.String({
    description: 'The version of the acceptable-use policy that was agreed to.',
    examples: ['2026-11-01'],
  }),
  policyAgreedAt: timestamp('When the user agreed to it.'),
  createdAt: timestamp('When access was allowed.'),
  lastUsedAt: nullable(timestamp('When it was last used.')),
  restCalls: calls('REST'),
  mcpCalls: calls('MCP'),
  endedAt: nullable(timestamp('When it ended; null while it works.')),
  endedBy: nullable(oneOf(ENDINGS, { description: 'Why it ended.', examples: ['user'] })),
}

export const ownGrantSchema = Type.Object(grantFields, {
  description: 'The permission of a program to read the catalog for the user.',
})

export const grantSchema = Type.Object(
  {
    ...grantFields,
    userId: Type.String({ description: 'The user.', examples: ['0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10'] }),
    owner: Type.String({ description: 'E-mail address of the user.', examples: ['ada@example.com'] }),
  },
  { title: 'Grant', description: 'The permission of a program to read the catalog for a user.' },
)

export const grantFilters = {
  user: Type.Optional(
    Type.String({ description: 'Only grants of this user.', examples: ['0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10'] }),
  ),
  live: Type.Optional(
    Type.Boolean({ description: 'Only grants that work, or with false only ended ones.', examples: [true] }),
  ),
}
