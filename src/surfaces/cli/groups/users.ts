// `catalog users`: the owners of catalog keys.
import type { Command } from 'commander'
import { Type } from 'typebox'
import { plan, role, userFilters } from '../../../features/accounts/schema.ts'
import { nullable } from '../../../kernel/schema.ts'
import {
  addBan,
  addFields,
  addVersionGuard,
  changesGiven,
  guardGiven,
  LARGEST_PAGE,
} from '../derived/schema-options.ts'
import { call } from '../kit/client.ts'
import { addList, examples } from '../kit/lists.ts'
import { answer, CommandError, printSecrets, say } from '../kit/output.ts'
import { shortDay } from '../kit/table.ts'

export function addUsers(program: Command): void {
  const users = program.command('users').description('List and change users.')
  users.addHelpText('after', examples('users list', 'users promote ada@example.com'))
  addList(users, {
    operation: 'list_users',
    description: 'List users, newest first.',
    empty: 'No users yet. A user comes with the first key: catalog keys create --email you@example.com',
    filters: userFilters,
    none: 'No such user.',
    columns: [
      { title: 'ID', value: (user) => user.id },
      { title: 'EMAIL', value: (user) => user.email, cuttable: true },
      { title: 'PLAN', value: (user) => user.plan },
      { title: 'ROLE', value: (user) => user.role },
      { title: 'BANNED', value: (user) => user.banned },
      { title: 'SINCE', value: (user) => shortDay(user.createdAt) },
    ],
    examples: examples('users list', 'users list --q example.com --role admin'),
  })

  const partner = nullable(Type.String({ description: 'Identifier of the partner that the user works for.' }))
  const change = users.command('change').alias('set').description('Change a user. What is not given stays as it is.')
  addVersionGuard(change)
  addBan(
    addFields(change.argument('<id-or-email>', 'Identifier or e-mail address of the user.'), { plan, role, partner }),
    'user',
  )
    .addHelpText(
      'after',
      examples(
        'users change ada@example.com --plan premium',
        'users change ada@example.com --partner 8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10',
        'users change ada@example.com --ban',
      ),
    )
    .action((who: string) => changeUser(change, who, changesGiven(change, ['plan', 'role', 'banned', 'partner'])))

  const promote = users.command('promote').description('Make a user an administrator.')
  addVersionGuard(promote)
    .argument('<email>', 'E-mail address (or identifier) of the user.')
    .addHelpText('after', examples('users promote ada@example.com'))
    .action((who: string) => changeUser(promote, who, { role: 'admin' }))

  const link = users.command('link').description('Make a link with which a user sets a password and is signed in.')
  link
    .argument('<email>', 'E-mail address (or identifier) of the user.')
    .addHelpText('after', examples('users link ada@example.com'))
    .action((who: string) => makeLink(link, who))
}

async function makeLink(command: Command, who: string): Promise<void> {
  const made = await call(command, 'create_user_link', {
    params: { id: await idFor(command, who) },
  })
  answer(command, made, () => {
    printSecrets({ [`Sign-in link for ${who}`]: made.url })
    say('It works once, for 24 hours. Hand it over in private.')
  })
}

const idFor = async (command: Command, who: string): Promise<string> =>
  who.includes('@') ? idOf(command, who.trim().toLowerCase()) : who

async function changeUser(command: Command, who: string, body: Record<string, unknown>): Promise<void> {
  const id = await idFor(command, who)
  const user = await call(command, 'change_user', { params: { id }, query: guardGiven(command), body })
  answer(command, user, () => {
    const state = `${user.plan} plan, ${user.role === 'admin' ? 'administrator' : user.role}${user.banned ? ', banned' : ''}`
    say(`Changed ${user.email}: now ${state}.`)
  })
}

/** The list also contains addresses that only include this one, so the exact match is searched for. */
async function idOf(command: Command, email: string): Promise<string> {
  const limit = LARGEST_PAGE
  for (let page = 1; ; page++) {
    const users = await call(command, 'list_users', { query: { q: email, limit, page } })
    const found = users.find((user) => user.email === email)
    if (found) return found.id
    if (users.length < limit)
      throw new CommandError(
        `There is no user ${email}. A user comes with the first key: catalog keys create --email …`,
      )
  }
}
