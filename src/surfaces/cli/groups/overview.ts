// `catalog overview`: counts of the work that waits for an operator. `catalog broken`: invalid rows, which are hidden.
import type { Command } from 'commander'
import { call } from '../kit/client.ts'
import { addList, examples } from '../kit/lists.ts'
import { answer, printTable, say } from '../kit/output.ts'

export function addOverview(program: Command): void {
  const overview = program.command('overview').description('Show the work that waits for an administrator.')
  overview.addHelpText('after', examples('overview', 'overview --json')).action(async () => {
    const found = await call(overview, 'get_overview')
    answer(overview, found, () => {
      const rows = [
        ...Object.entries(found.submissions).map(([state, count]) => ({ what: `submissions ${state}`, count })),
        { what: 'pending conversations', count: found.pendingConversations },
        { what: 'failed or unknown deliveries', count: found.openWebhooks },
        { what: 'enrichments that failed', count: found.failedEnrichments },
        { what: 'rows that are broken', count: found.brokenRows },
        { what: 'listings to review', count: found.listingsToReview ?? 0 },
        { what: 'keys never received', count: found.unheldKeys },
        ...(found.mailProblems ?? []).map(({ kind, count }) => ({ what: `mails not sent: ${kind}`, count })),
        ...Object.entries(found.embeddings ?? {}).map(([state, count]) => ({ what: `vectors ${state}`, count })),
      ]
      printTable(rows, [
        { title: 'WHAT', value: (row) => row.what },
        { title: 'COUNT', value: (row) => row.count },
      ])
      for (const { kind, problem, remedy } of found.mailProblems ?? [])
        say(`\nMails not sent: ${kind}. ${problem} ${remedy}`)
    })
  })

  const broken = program.command('broken').description('Stored rows that are invalid and hidden from readers.')
  broken.addHelpText('after', examples('broken list'))
  addList(broken, {
    operation: 'list_broken_rows',
    description: 'List broken rows with reasons.',
    empty: 'There are no broken rows.',
    columns: [
      { title: 'KIND', value: (row) => row.kind },
      { title: 'NAME', value: (row) => row.name },
      { title: 'WHAT IS WRONG', value: (row) => row.reason, cuttable: true },
    ],
    examples: examples('broken list', 'broken list --json'),
  })
}
