import { Type } from 'typebox'
import {
  booleanType,
  integerType,
  nullable,
  nullableObject,
  stringType,
  timestamp,
  titledObject,
  WRITTEN_EMAIL_PATTERN,
} from '../../kernel/schema.ts'
import { email, plan, role } from '../accounts/schema.ts'

/** Accepts every address that may be stored, because partners send addresses of customers in any form. */
const address = { ...email, pattern: WRITTEN_EMAIL_PATTERN }

export const personBody = titledObject('PersonByAddress', 'The person by e-mail address.', { email: address })

const accountFields = titledObject('AccountOfPerson', 'The account.', {
  id: stringType('Identifier of the user.', '0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10'),
  email,
  emailVerified: booleanType('Whether the address was confirmed.', true),
  name: stringType('Name from GitHub; empty without one.', 'Ada Lovelace'),
  image: nullable(stringType('Address of the picture from GitHub.', 'https://avatars.githubusercontent.com/u/1')),
  plan,
  role,
  banned: booleanType('Whether the user is banned.', false),
  partnerId: nullable(stringType('The partner that the user works for.', '5b0d1f0a-3b5e-4c51-9b39-6d5f1a7c2e44')),
  createdAt: timestamp('When the account was made.'),
  updatedAt: timestamp('When it was last changed.'),
})

export const personSchema = titledObject('PersonalData', 'Everything that is stored about a person.', {
  email: address,
  exportedAt: timestamp('When this was read.'),
  account: nullableObject(accountFields, 'The account; null when there is none with this address.'),
  sections: Type.Unsafe<Record<string, Record<string, unknown>[]>>({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'object', additionalProperties: true } },
    description: 'What is stored, by kind, the newest first; kinds without anything are left out. No secret is in it.',
    examples: [{ keys: [{ id: '3e1f0a52-91c7-4f0b-8a57-1c9f5d0f6f11', name: 'Laptop', last4: 'x7Qk' }] }],
  }),
  cut: Type.Array(Type.String(), {
    description: 'The kinds of which only the newest are in the answer: at most 5,000, and at most 2 MiB of text.',
    examples: [[]],
  }),
})

export const erasedSchema = titledObject('ErasedPerson', 'What a deletion did.', {
  pseudonym: stringType(
    'What stands for the person in the audit log from now on. It says nothing about who it was.',
    'deleted-3f9a2c1b',
  ),
  removed: Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'How many rows were deleted or changed, by kind; kinds without any are left out.',
    examples: [{ accounts: 1, conversations: 2, auditEntries: 14 }],
  }),
  stays: Type.Array(
    titledObject('WhatStays', 'A place where the address still is.', {
      table: stringType('Table of the database.', 'support_articles'),
      rows: integerType('In how many rows the address is found.', 1),
      reason: stringType('Why a deletion leaves it.', 'Knowledge that the operator or a partner wrote for all.'),
    }),
    { description: 'Where the address still is, for the operator to decide.' },
  ),
})

export const ownDeletionBody = Type.Object({
  confirm: stringType('The e-mail address of the account, typed to confirm.', 'ada@example.com', { maxLength: 300 }),
  current: Type.Optional(
    stringType('The password, where the user signs in with one.', 'correct horse battery', { maxLength: 1000 }),
  ),
})
