// `catalog overview`: what waits for somebody.
import type { Command } from 'commander'
import type { Static } from 'typebox'
import type { overviewSchema } from '../../features/overview/schema.ts'
import { call } from './client.ts'
import { examples } from './lists.ts'
import { answer, printTable } from './output.ts'

export function addOverview(program: Command): void {
  const overview = program.command('overview').description('Show what waits for somebody.')
  overview.addHelpText('after', examples('overview', 'overview --json')).action(async () => {
    const found = await call<Static<typeof overviewSchema>>(overview, 'get_overview')
    answer(overview, found, () => {
      const rows = [
        ...Object.entries(found.submissions).map(([state, count]) => ({ what: `submissions ${state}`, count })),
        { what: 'conversations that wait', count: found.pendingConversations },
        { what: 'webhooks that did not arrive', count: found.openWebhooks },
        { what: 'enrichments that failed', count: found.failedEnrichments },
      ]
      printTable(rows, [
        { title: 'WHAT', value: (row) => row.what },
        { title: 'COUNT', value: (row) => row.count },
      ])
    })
  })
}
