// `catalog keys`: the keys that read the catalog.
import type { Command } from 'commander'
import { isUnheld } from '../../../features/keys/rules.ts'
import { keyFilters, keyRotationBody, newKeyBody } from '../../../features/keys/schema.ts'
import { addFields, givenOptions } from '../derived/schema-options.ts'
import { call } from '../kit/client.ts'
import { addList, examples } from '../kit/lists.ts'
import { answer, printSecrets, say } from '../kit/output.ts'
import { shortDay, shortTime } from '../kit/table.ts'

const ID = '3e1f0a52-91c7-4f0b-8a57-1c9f5d0f6f11'
const ID_MEANS = 'Identifier of the key, from: catalog keys list'

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('Issue, list and revoke API keys.')
  keys.addHelpText('after', examples('keys create --email you@example.com', 'keys list'))

  const create = keys.command('create').description('Issue a catalog key. Its owner is created when new.')
  addFields(create, newKeyBody.properties, newKeyBody.required)
    .addHelpText('after', examples('keys create --email you@example.com --name Production --plan premium'))
    .action(async () => {
      const key = await call(create, 'create_key', {
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
      { title: 'ENDS', value: (key) => (key.revokedAt ? null : shortTime(key.endsAt)) },
      { title: 'LAST USED', value: (key) => (isUnheld(key) ? 'never shown' : shortDay(key.lastUsedAt)) },
      { title: 'PLAN', value: (key) => key.plan },
      { title: 'KIND', value: (key) => (key.test ? `${key.kind}, test` : key.kind) },
      { title: 'MADE', value: (key) => shortDay(key.createdAt) },
      { title: 'NAME', value: (key) => key.name, cuttable: true },
    ],
    examples: examples('keys list', 'keys list --unheld true', 'keys list --limit 20 --json'),
  })

  const rotate = keys.command('rotate').description('Replace a key. The old one works on for a while, then it stops.')
  addFields(rotate.argument('<id>', ID_MEANS), keyRotationBody.properties)
    .addHelpText('after', examples(`keys rotate ${ID}`, `keys rotate ${ID} --overlap-hours 0`))
    .action(async (id: string) => {
      const key = await call(rotate, 'rotate_key', {
        params: { id },
        body: givenOptions(rotate, Object.keys(keyRotationBody.properties)),
      })
      answer(rotate, key, () => {
        const until = key.previousValidUntil
        say(`Made key ${key.id}. ${until ? `The old one works until ${shortTime(until)}.` : 'The old one has ended.'}`)
        printSecrets({ Key: key.key })
      })
    })

  const revoke = keys.command('revoke').description('Revoke a key for good. It fails on the next request.')
  revoke
    .argument('<id>', ID_MEANS)
    .addHelpText('after', examples(`keys revoke ${ID}`))
    .action(async (id: string) => {
      const key = await call(revoke, 'revoke_key', { params: { id } })
      answer(revoke, key, () => say(`Revoked key ${key.id}.`))
    })
}
