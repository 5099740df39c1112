// `catalog grants`: the programs that users have signed in to.
import type { Command } from 'commander'
import { grantFilters } from '../../../features/oauth/schema.ts'
import { call } from '../kit/client.ts'
import { addList, examples } from '../kit/lists.ts'
import { answer, say } from '../kit/output.ts'
import { shortDay } from '../kit/table.ts'

export function addGrants(program: Command): void {
  const grants = program
    .command('grants')
    .description('List and withdraw the access of programs that users signed in to.')
  grants.addHelpText('after', examples('grants list', 'grants withdraw 5b0c6a52-3d6e-4a07-9a0e-0a9f3c1d7e21'))

  addList(grants, {
    operation: 'list_grants',
    description: 'List grants, newest first, ended ones too.',
    empty: 'No user has signed in to a program yet.',
    filters: grantFilters,
    none: 'No such grant.',
    columns: [
      { title: 'ID', value: (grant) => grant.id },
      { title: 'PROGRAM', value: (grant) => grant.program, cuttable: true },
      { title: 'OWNER', value: (grant) => grant.owner, cuttable: true },
      { title: 'ENDED', value: (grant) => shortDay(grant.endedAt) },
      { title: 'LAST USED', value: (grant) => shortDay(grant.lastUsedAt) },
      { title: 'SINCE', value: (grant) => shortDay(grant.createdAt) },
      { title: 'CLIENT', value: (grant) => grant.clientId, cuttable: true },
    ],
    examples: examples('grants list', 'grants list --live true', 'grants list --limit 20 --json'),
  })

  const withdraw = grants.command('withdraw').description('Withdraw a grant. Its tokens fail on the next request.')
  withdraw
    .argument('<id>', 'Identifier of the grant, from: catalog grants list')
    .addHelpText('after', examples('grants withdraw 5b0c6a52-3d6e-4a07-9a0e-0a9f3c1d7e21'))
    .action(async (id: string) => {
      const grant = await call(withdraw, 'withdraw_grant', { params: { id } })
      answer(withdraw, grant, () => say(`Withdrew grant ${grant.id}.`))
    })
}
