// The names of what the audit log mentions by identifiers.
import { Type } from 'typebox'
import { pageOperation } from '../../kernel/operation.ts'
import { nullable } from '../../kernel/schema.ts'
import { listSubjectNames, listUsersByEmail } from './names.queries.ts'

/** More than a page of the log has. */
const MOST_NAMED = 500
const texts = (description: string) =>
  Type.Array(Type.String({ maxLength: 1000 }), { maxItems: MOST_NAMED, description })

export const nameAuditRows = pageOperation({
  name: 'name_audit_rows',
  summary: 'The names of subjects and actors of the audit log',
  access: 'operator',
  parameters: Type.Object({}),
  body: Type.Object({
    subjects: texts('Subjects as the log has them, such as submission:0199d2c4.'),
    actors: texts('Actors as the log has them, such as ada@example.com.'),
  }),
  data: Type.Object({
    subjects: Type.Array(
      Type.Object({
        subject: Type.String({ description: 'As asked.' }),
        name: Type.String({ description: 'What it is called now.' }),
        owner: nullable(Type.String({ description: 'The subject that it belongs to.' })),
      }),
      { description: 'Those that still exist.' },
    ),
    users: Type.Array(
      Type.Object({
        email: Type.String({ description: 'As asked.' }),
        id: Type.String({ description: 'Identifier of the user.' }),
      }),
      { description: 'The actors that are users.' },
    ),
  }),
  run: async (ctx, _input, body) => ({
    data: {
      subjects: await listSubjectNames(ctx.db, body.subjects),
      users: await listUsersByEmail(ctx.db, body.actors),
    },
  }),
})
