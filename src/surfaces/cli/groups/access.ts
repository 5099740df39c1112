// `catalog keys`, `users`, `person`, `subscriptions` and `grants`: who may read the catalog, and who pays.
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { LINK_HOURS } from '../../../features/accounts/rules.ts'
import { isUnheld } from '../../../features/keys/rules.ts'
import { listPage } from '../../../kernel/schema.ts'
import { hoursText } from '../../../kernel/values/text.ts'
import { byHand, command, type Group, list } from '../derived/declared.ts'
import { call } from '../kit/client.ts'
import { targetOf, writeTarget } from '../kit/files.ts'
import { CommandError, examples, printJson, printSecrets, remark, say } from '../kit/output.ts'
import type { OptionField } from '../kit/schema-options.ts'
import { dayText, shortTime } from '../kit/table.ts'

// Read as an OptionField, because the TypeBox type has no `maximum`.
const { maximum: LARGEST_PAGE = 1 }: OptionField = listPage.limit

const EXAMPLE_KEY = '3e1f0a52-91c7-4f0b-8a57-1c9f5d0f6f11'
const EXAMPLE_GRANT = '5b0c6a52-3d6e-4a07-9a0e-0a9f3c1d7e21'

export const keysCommands: Group = {
  examples: ['keys create --email you@example.com', 'keys list'],
  arguments: { id: ['<id>', 'Identifier of the key, from: catalog keys list'] },
  commands: [
    command('create_key', {
      description: 'Issue a catalog key. Its owner is created when new.',
      examples: ['keys create --email you@example.com --name Production --plan premium'],
      says: (key) => `Made key ${key.id} for ${key.owner}, ${key.plan} plan.`,
      prints: ({ key }) => printSecrets({ Key: key }),
    }),
    list('list_keys', {
      description: 'List keys, newest first, revoked ones too. The keys themselves cannot be shown.',
      empty: 'No keys yet. Make one with: catalog keys create --email you@example.com',
      none: 'No such key.',
      columns: {
        ID: 'id',
        'ENDS IN': 'last4',
        OWNER: { cut: 'owner' },
        REVOKED: { day: 'revokedAt' },
        ENDS: (key) => (key.revokedAt ? null : shortTime(key.endsAt)),
        'LAST USED': (key) => (isUnheld(key) ? 'never shown' : dayText(key.lastUsedAt)),
        PLAN: 'plan',
        KIND: (key) => (key.test ? `${key.kind}, test` : key.kind),
        MADE: { day: 'createdAt' },
        NAME: { cut: 'name' },
      },
      examples: ['keys list', 'keys list --unheld true', 'keys list --limit 20 --json'],
    }),
    command('rotate_key', {
      description: 'Replace a key. The old one works on for a while, then it stops.',
      examples: [`keys rotate ${EXAMPLE_KEY}`, `keys rotate ${EXAMPLE_KEY} --overlap-hours 0`],
      says: ({ id, previousValidUntil: until }) =>
        `Made key ${id}. ${until ? `The old one works until ${shortTime(until)}.` : 'The old one has ended.'}`,
      prints: ({ key }) => printSecrets({ Key: key }),
    }),
    command('revoke_key', {
      name: 'revoke',
      description: 'Revoke a key for good. It fails on the next request.',
      examples: [`keys revoke ${EXAMPLE_KEY}`],
      says: ({ id }) => `Revoked key ${id}.`,
    }),
  ],
}

const EMAIL_ARGUMENT = ['<email>', 'E-mail address (or identifier) of the user.'] as const

const changedUserText = (user: { email: string; plan: string; role: string; banned: boolean }): string => {
  const state = `${user.plan} plan, ${user.role === 'admin' ? 'administrator' : user.role}${user.banned ? ', banned' : ''}`
  return `Changed ${user.email}: now ${state}.`
}

export const usersCommands: Group = {
  examples: ['users list', 'users promote ada@example.com'],
  commands: [
    list('list_users', {
      description: 'List users, newest first.',
      empty: 'No users yet. A user comes with the first key: catalog keys create --email you@example.com',
      none: 'No such user.',
      columns: {
        ID: 'id',
        EMAIL: { cut: 'email' },
        PLAN: 'plan',
        ROLE: 'role',
        BANNED: 'banned',
        SINCE: { day: 'createdAt' },
      },
      examples: ['users list', 'users list --q example.com --role admin'],
    }),
    command('get_user', {
      arguments: { id: EMAIL_ARGUMENT },
      examples: ['users show ada@example.com'],
      prepare: userParams,
    }),
    command('change_user', {
      alias: 'set',
      description: 'Change a user. What is not given stays as it is.',
      arguments: { id: ['<id-or-email>', 'Identifier or e-mail address of the user.'] },
      fields: {
        banned: banFlags('user'),
        partner: 'Identifier of the partner that the user works for.',
        partnerId: false,
      },
      examples: [
        'users change ada@example.com --plan premium',
        'users change ada@example.com --partner 8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10',
        'users change ada@example.com --ban',
      ],
      prepare: userParams,
      says: changedUserText,
    }),
    command('change_user', {
      name: 'promote',
      description: 'Make a user an administrator.',
      arguments: { id: EMAIL_ARGUMENT },
      fields: {
        plan: false,
        role: { options: [], read: () => 'admin' },
        banned: false,
        partner: false,
        partnerId: false,
      },
      examples: ['users promote ada@example.com'],
      prepare: userParams,
      says: changedUserText,
    }),
    command('create_user_link', {
      description: 'Make a link with which a user sets a password and is signed in.',
      arguments: { id: EMAIL_ARGUMENT },
      examples: ['users link ada@example.com'],
      prepare: userParams,
      prints: ({ url }, given) => {
        printSecrets({ [`Sign-in link for ${given.text('id')}`]: url })
        say(`It works once, for ${hoursText(LINK_HOURS)}. Hand it over in private.`)
      },
    }),
  ],
}

/** The id of the named user as the parameter of the call. The operator may give an e-mail address; the operations take only ids. */
async function userParams({ command, text }: { command: Command; text(name: string): string }) {
  const who = text('id')
  return { params: { id: who.includes('@') ? await userIdOf(command, who.trim().toLowerCase()) : who } }
}

/** Looks through all pages for the exact address, because the filter `q` also finds longer addresses that contain this one. */
async function userIdOf(command: Command, email: string): Promise<string> {
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

/** The flags `--ban` and `--unban`, which set the field `banned`. `whom`: "user" or "partner". */
export function banFlags(whom: string) {
  return {
    flags: { ban: [`Ban the ${whom}: every key stops at once.`, true], unban: ['Lift the ban.', false] },
  } as const
}

export const personCommands: Group = {
  examples: ['person export ada@example.com ada.json', 'person delete ada@example.com'],
  path: 'people',
  commands: [
    byHand(addPersonExport),
    command('delete_person', {
      description: 'Delete everything about a person. It cannot be undone.',
      arguments: { email: ['<email>', 'E-mail address of the person.'] },
      examples: ['person delete ada@example.com', 'person delete ada@example.com --yes --json'],
      asks: ({ text }) => `Delete everything about ${text('email')} for good?`,
      prints: ({ removed, pseudonym, stays }, { text }) => {
        const counts = Object.entries(removed).map(([kind, count]) => `${kind} ${count}`)
        if (counts.length === 0) say(`Nothing is stored about ${text('email')}.`)
        else say(`Deleted: ${counts.join(', ')}. The audit log calls the person ${pseudonym}.`)
        for (const { table, rows, reason } of stays) say(`The address is still in ${table} (${rows}): ${reason}`)
      },
    }),
  ],
}

function addPersonExport(group: Command): void {
  const command = group.command('export').description('Everything that is stored about a person, as JSON.')
  command
    .argument('<email>', 'E-mail address of the person.')
    .argument('[file]', 'File to write; standard output by default.')
    .addHelpText('after', examples('person export ada@example.com ada.json'))
    .action(async (email: string, file?: string) => {
      const target = file === undefined ? null : targetOf(file)
      const data = await call(command, 'export_person', { body: { email } })
      if (target === null) return printJson(data)
      await writeTarget(target, (sink) => pipeline([`${JSON.stringify(data, null, 2)}\n`], sink))
      remark(`Wrote ${file}.`)
    })
}

export const subscriptionsCommands: Group = {
  examples: ['subscriptions list', 'subscriptions list --paying true'],
  commands: [
    list('list_subscriptions', {
      description: 'List subscriptions, those that give Premium longest first, ended ones too.',
      empty: 'There is no subscription yet.',
      none: 'No such subscription.',
      columns: {
        ID: 'id',
        OWNER: { cut: ({ owner }) => owner ?? 'account deleted' },
        STATE: 'status',
        SINCE: { day: 'since' },
        'PAID UNTIL': { day: 'paidUntil' },
        'PREMIUM UNTIL': { day: 'premiumUntil' },
        'AT STRIPE': { cut: ({ url, customerId }) => url ?? customerId },
      },
      examples: ['subscriptions list', 'subscriptions list --paying true --json'],
    }),
    command('compare_subscriptions', {
      name: 'compare',
      description: 'Ask Stripe about the subscriptions of a user now.',
      arguments: { id: ['<user>', 'Identifier of the user, from: catalog users list'] },
      examples: ['subscriptions compare 0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10'],
      says: ({ length }) => `Compared with Stripe: ${length} ${length === 1 ? 'subscription' : 'subscriptions'}.`,
    }),
  ],
}

export const grantsCommands: Group = {
  examples: ['grants list', `grants withdraw ${EXAMPLE_GRANT}`],
  arguments: { id: ['<id>', 'Identifier of the grant, from: catalog grants list'] },
  commands: [
    list('list_grants', {
      description: 'List grants, newest first, ended ones too.',
      empty: 'No user has signed in to a program yet.',
      none: 'No such grant.',
      columns: {
        ID: 'id',
        PROGRAM: { cut: 'program' },
        OWNER: { cut: 'owner' },
        ENDED: { day: 'endedAt' },
        'LAST USED': { day: 'lastUsedAt' },
        SINCE: { day: 'createdAt' },
        CLIENT: { cut: 'clientId' },
      },
      examples: ['grants list', 'grants list --live true', 'grants list --limit 20 --json'],
    }),
    command('withdraw_grant', {
      name: 'withdraw',
      description: 'Withdraw a grant. Its tokens fail on the next request.',
      examples: [`grants withdraw ${EXAMPLE_GRANT}`],
      says: ({ id }) => `Withdrew grant ${id}.`,
    }),
  ],
}
