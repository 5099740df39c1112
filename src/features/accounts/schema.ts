// Plans and roles, and a user as the operator API shows it.
import { Type } from 'typebox'
import {
  booleanType,
  EMAIL_PATTERN,
  nullable,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../kernel/schema.ts'
import { version } from '../audit/schema.ts'

export const PLANS = ['standard', 'premium'] as const
/** The plans in words, for pages. */
export const PLAN_LABELS = { standard: 'Standard', premium: 'Premium' } as const satisfies Record<Plan, string>
export const ROLES = ['user', 'admin'] as const
export type Plan = (typeof PLANS)[number]
export type UserRole = (typeof ROLES)[number]
export const ROLE_LABELS = { user: 'User', admin: 'Administrator' } as const satisfies Record<UserRole, string>

export const plan = oneOf(PLANS, 'Decides the rate limits.', 'standard')
export const role = oneOf(ROLES, 'What the user may do.', 'user')
export const email = stringType('E-mail address.', 'ada@example.com', { pattern: EMAIL_PATTERN, maxLength: 254 })

export const emailBody = Type.Object({ email })

export const userSchema = titledObject('User', 'A user.', {
  id: stringType('Identifier of the user.', '0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10'),
  email,
  plan,
  grantedPlan: { ...plan, description: 'The plan that an administrator granted.' },
  paidPlan: { ...plan, description: 'The plan that the user pays for.' },
  role,
  banned: booleanType('A banned user has no working key and gets no new one.', false),
  partnerId: nullable(
    stringType(
      'The partner this user works for; the dashboard shows its submissions.',
      '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10',
    ),
  ),
  version,
  createdAt: timestamp('When the user was created.'),
  updatedAt: timestamp('When the user was last changed.'),
})

export const userFilters = {
  q: Type.Optional(stringType('Part of the e-mail address.', 'example.com', { maxLength: 254 })),
  plan: Type.Optional({ ...plan, description: 'Only users of this plan.' }),
  role: Type.Optional({ ...role, description: 'Only users of this role.' }),
  banned: Type.Optional(booleanType('Only banned ones, or with false only others.', true)),
  partner: Type.Optional(stringType('Only the people of this partner.', '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10')),
}
