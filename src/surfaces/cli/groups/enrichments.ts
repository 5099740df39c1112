// `catalog enrichments`: the results of reading the sites of submitted tools.
import type { Command } from 'commander'
import { UNUSED } from '../../../features/enrichment/rules.ts'
import { call } from '../kit/client.ts'
import { addList, examples } from '../kit/lists.ts'
import { answer, say } from '../kit/output.ts'
import { type PrintedRow, shortTime } from '../kit/table.ts'

const troubles = (row: PrintedRow): string =>
  (row.parts as { part: string; outcome: string; note: string }[])
    .filter(({ outcome }) => outcome === 'unreachable' || (UNUSED as readonly string[]).includes(outcome))
    .map(({ part, note }) => `${part}: ${note}`)
    .join(' ')

export function addEnrichments(program: Command): void {
  const enrichments = program.command('enrichments').description('Look at background enrichment, and ask for it again.')
  enrichments.addHelpText('after', examples('enrichments list', 'enrichments retry acme-writer'))

  addList(enrichments, {
    operation: 'list_enrichments',
    description: 'List enrichments, newest first.',
    empty: 'No listing was enriched yet.',
    columns: [
      { title: 'TOOL', value: (row) => (row.tool as { slug: string }).slug },
      { title: 'STATE', value: (row) => row.state },
      { title: 'TRIES', value: (row) => row.attempts },
      { title: 'LAST', value: (row) => shortTime(row.updatedAt) },
      { title: 'TROUBLE', value: troubles, cuttable: true },
    ],
    examples: examples('enrichments list', 'enrichments list --json'),
  })

  const retry = enrichments.command('retry').description('Look at the site of a tool once more.')
  retry
    .argument('<tool>', 'Identifier or slug of the tool.')
    .addHelpText('after', examples('enrichments retry acme-writer'))
    .action(async (toolId: string) => {
      const row = await call(retry, 'retry_enrichment', { params: { toolId } })
      answer(retry, row, () => say(`Looking at the site of ${row.tool.slug} again.`))
    })
}
