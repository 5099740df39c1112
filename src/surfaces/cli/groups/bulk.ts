// `catalog submissions bulk`: assigns, moves or sets the package of many submissions at once.
import type { Command } from 'commander'
import { bulkBody } from '../../../features/submissions/bench.schema.ts'
import { addFields, changesGiven } from '../derived/schema-options.ts'
import { call } from '../kit/client.ts'
import { examples } from '../kit/lists.ts'
import { answer, printTable, say } from '../kit/output.ts'

export function addBulk(submissions: Command): void {
  const { submissions: _, ...fields } = bulkBody.properties
  const bulk = submissions
    .command('bulk')
    .description('Assign, move or set the package of many submissions. The exit status is 1 when one was not changed.')
    .argument('<ids...>', 'Identifiers of the submissions, or ids or slugs of their tools.')
  addFields(bulk, fields)
    .addHelpText(
      'after',
      examples(
        'submissions bulk acme-writer acme-mail --assignee op@example.com --state ASSIGNED',
        'submissions bulk acme-writer acme-mail --payment-type starter',
      ),
    )
    .action(async (ids: string[]) => {
      const changes = changesGiven(bulk, Object.keys(fields))
      const body = { submissions: ids.map((id) => ({ id })), ...changes }
      const results = await call(bulk, 'change_submissions', { body })
      const refused = results.filter(({ error }) => error !== null)
      answer(bulk, results, () => {
        say(`${results.length - refused.length} of ${results.length} changed.`)
        if (refused.length > 0)
          printTable(refused, [
            { title: 'NOT CHANGED', value: ({ id }) => id },
            { title: 'WHY', value: ({ error }) => error, cuttable: true },
          ])
      })
      if (refused.length > 0) process.exitCode = 1
    })
}
