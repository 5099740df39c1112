// The parameter with which writers name the version that they have read, and the filters of the audit log.
import { Type } from 'typebox'
import { integerType, stringType } from '../../kernel/schema.ts'

const filter = (description: string, example: string) =>
  Type.Optional(stringType(description, example, { maxLength: 300 }))

const LARGEST_VERSION = 2 ** 31 - 1

/** The parameter and the error status that every write of the operator API has; `version-guard.ts` compares the versions. */
export const versionGuard = {
  parameters: {
    ifVersion: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LARGEST_VERSION,
        // An invalid value must be refused: ignoring it would write without the check that the client asked for.
        'x-strict': true,
        description:
          'Writes only over this version, the one that the writer has read; 0: there was nothing. When it is another by now, nothing is changed and the answer is 409. Without it the last writer wins.',
        examples: [3],
      }),
    ),
  },
  failures: [409] as const,
}

export const version = integerType(
  'Raised by one with every change. Given back as ifVersion, it keeps a write from undoing the work of others.',
  3,
)

export const auditFilters = {
  actor: filter('Part of who did it.', 'ada@example.com'),
  action: filter('Beginning of what was done: tool finds tool.put and tool.delete.', 'key.create'),
  subject: filter(
    'What it was done to: tool:acme-writer for one thing, or a part without a colon.',
    'tool:acme-writer',
  ),
}
