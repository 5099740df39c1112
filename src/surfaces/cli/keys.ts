// `catalog keys`: the keys that read the catalog.
import type { Command } from 'commander'
import type { Static } from 'typebox'
import { isUnheld } from '../../features/keys/rules.ts'
import { keyFilters, newKeyBody, type newKeySchema } from '../../features/keys/schema.ts'
import { call } from './client.ts'
import { addList, examples } from './lists.ts'
import { answer, printSecrets, say } from './output.ts'
import { addFields, givenOptions } from './schema-options.ts'
import { shortDay } from './table.ts'

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('Issue, list and revoke API keys.')
  keys.addHelpText('after', examples('keys create --email you@example.com', 'keys list'))

  const create = keys.command('create').description('Issue a catalog key. Its owner is created when new.')
  addFields(create, newKeyBody.properties, newKeyBody.required)
    .addHelpText('after', examples('keys create --email you@example.com --name Production --plan premium'))
    .action(async () => {
      const key = await call<Static<typeof newKeySchema>>(create, 'create_key', {
        body: givenOptions(create, Object.keys(newKeyBody.properties)),
      })
      answer(create, key, () => {
        say(`Made key ${key.id} for ${key.owner}, ${key.plan} plan.`)
        printSecrets({ Key: key.key })
      })
    })

  addList(keys, {
    operation: 'list_keys',
    description: 'List keys, newest first, revoked ones too. The keys themselves cannot be shown.',
    empty: 'No keys yet. Make one with: catalog keys create --email you@example.com',
    filters: keyFilters,
    none: 'No such key.',
    columns: [
      { title: 'ID', value: (key) => key.id },
      { title: 'ENDS IN', value: (key) => key.last4 },
      { title: 'OWNER', value: (key) => key.owner, cuttable: true },
      { title: 'REVOKED', value: (key) => shortDay(key.revokedAt) },
      { title: 'LAST USED', value: (key) => (isUnheld(key) ? 'never shown' : shortDay(key.lastUsedAt)) },
      { title: 'PLAN', value: (key) => key.plan },
      { title: 'KIND', value: (key) => (key.test ? `${key.kind}, test` : key.kind) },
      { title: 'MADE', value: (key) => shortDay(key.createdAt) },
      { title: 'NAME', value: (key) => key.name, cuttable: true },
    ],
    examples: examples('keys list', 'keys list --unheld true', 'keys list --limit 20 --json'),
  })

  const revoke = keys.command('revoke').description('Revoke a key for good. It fails on the next request.')
  revoke
    .argument('<id>', 'Identifier of the key, from: catalog keys list')
    .addHelpText('after', examples('keys revoke 3e1f0a52-91c7-4f0b-8a57-1c9f5d0f6f11'))
    .action(async (id: string) => {
      const key = await call<{ id: string }>(revoke, 'revoke_key', { params: { id } })
      answer(revoke, key, () => say(`Revoked key ${key.id}.`))
    })
}
