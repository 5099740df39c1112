import { Type } from 'typebox'
import { operation } from '../../kernel/operation.ts'
import { integerType, listPage, objectType, offsetOf, stringType, timestamp } from '../../kernel/schema.ts'
import { listAudit } from './queries.ts'
import { auditFilters } from './schema.ts'

export const listAuditEntries = operation({
  name: 'list_audit',
  summary: 'Who changed what and when',
  description: 'The audit log, newest first, with filters. Every write through the operator API is in it.',
  group: 'Audit',
  access: 'operator',
  method: 'GET',
  path: '/audit',
  parameters: Type.Object({ ...auditFilters, ...listPage }),
  data: Type.Array(
    objectType('An entry of the audit log.', {
      id: integerType('Number of the entry, counting up.', 17),
      at: timestamp('When it happened.'),
      actor: stringType('Who did it.', 'operator'),
      action: stringType('What was done.', 'key.create'),
      subject: stringType('What it was done to.', 'key:0199d2c4'),
      details: Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'What else is worth knowing.',
        examples: [{ plan: 'premium' }],
      }),
    }),
  ),
  run: async (ctx, input) => ({ data: await listAudit(ctx.db, input, input.limit, offsetOf(input)) }),
})
