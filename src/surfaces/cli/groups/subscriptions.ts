// `catalog subscriptions`: who pays for the paid plan.
import type { Command } from 'commander'
import { subscriptionFilters } from '../../../features/billing/schema.ts'
import { call } from '../kit/client.ts'
import { addList, examples } from '../kit/lists.ts'
import { answer, say } from '../kit/output.ts'
import { shortDay } from '../kit/table.ts'

export function addSubscriptions(program: Command): void {
  const subscriptions = program
    .command('subscriptions')
    .description('List who pays for the paid plan, and compare with Stripe.')
  subscriptions.addHelpText('after', examples('subscriptions list', 'subscriptions list --paying true'))

  addList(subscriptions, {
    operation: 'list_subscriptions',
    description: 'List subscriptions, those that give Premium longest first, ended ones too.',
    empty: 'There is no subscription yet.',
    filters: subscriptionFilters,
    none: 'No such subscription.',
    columns: [
      { title: 'ID', value: (row) => row.id },
      { title: 'OWNER', value: (row) => row.owner ?? 'account deleted', cuttable: true },
      { title: 'STATE', value: (row) => row.status },
      { title: 'SINCE', value: (row) => shortDay(row.since) },
      { title: 'PAID UNTIL', value: (row) => shortDay(row.paidUntil) },
      { title: 'PREMIUM UNTIL', value: (row) => shortDay(row.premiumUntil) },
      { title: 'AT STRIPE', value: (row) => row.url ?? row.customerId, cuttable: true },
    ],
    examples: examples('subscriptions list', 'subscriptions list --paying true --json'),
  })

  const compare = subscriptions.command('compare').description('Ask Stripe about the subscriptions of a user now.')
  compare
    .argument('<user>', 'Identifier of the user, from: catalog users list')
    .addHelpText('after', examples('subscriptions compare 0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10'))
    .action(async (id: string) => {
      const rows = await call(compare, 'compare_subscriptions', { params: { id } })
      answer(compare, rows, () =>
        say(`Compared with Stripe: ${rows.length} ${rows.length === 1 ? 'subscription' : 'subscriptions'}.`),
      )
    })
}
