import { Type } from 'typebox'

const part = (description: string, example: string) =>
  Type.Optional(Type.String({ maxLength: 300, description, examples: [example] }))

/** What the log can be narrowed by. */
export const auditFilters = {
  actor: part('Part of who did it.', 'ada@example.com'),
  action: part('Beginning of what was done: tool finds tool.put and tool.delete.', 'key.create'),
  subject: part('What it was done to: tool:acme-writer for one thing, or a part without a colon.', 'tool:acme-writer'),
}
