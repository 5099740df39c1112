import { stringType, titledObject } from '../../kernel/schema.ts'

/** The account of a founder, as operators see it. */
export const founder = titledObject('Founder', 'The account.', {
  id: stringType('Identifier of the user.', '0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10'),
  email: stringType('E-mail address of the user.', 'ada@example.com'),
})
