import { Type } from 'typebox'

/** The account of a founder, as operators see it. */
export const founder = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the user.', examples: ['0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10'] }),
    email: Type.String({ description: 'E-mail address of the user.', examples: ['ada@example.com'] }),
  },
  { title: 'Founder', description: 'The account.' },
)
