// Everything that is stored about a person, and its deletion: for operators, and for a signed-in user about the own account. `erasePerson`
// writes the audit entry of a deletion.
import { Type } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import { badRequest, orNotFound, unfit } from '../../kernel/errors.ts'
import { operationsFor, pageOperation } from '../../kernel/operation.ts'
import { booleanType } from '../../kernel/schema.ts'
import * as accounts from '../accounts/queries.ts'
import { normalizeEmail } from '../accounts/rules.ts'
import { writeAudit } from '../audit/write-audit.ts'
import { countInKeptRows } from './erase.queries.ts'
import { eraseAccount, erasePerson } from './erase.ts'
import { readSections } from './export.queries.ts'
import type { Scope } from './find.queries.ts'
import { erasedSchema, ownDeletionBody, personBody, personSchema } from './schema.ts'

const operation = operationsFor('operator', 'People')

const exportPerson = operation({
  name: 'export_person',
  summary: 'Everything about a person',
  description:
    'Everything that is stored about the person with this e-mail address: the account with its keys, apps, calls and payments, the conversations in which the person is the customer, products and partners that name the address, and what the person did as an administrator. A person about whom nothing is stored gets an empty answer.',
  method: 'POST',
  path: '/people/export',
  body: personBody,
  data: personSchema,
  run: async (ctx, _input, body) => {
    const email = normalizeEmail(body.email)
    const account = await accounts.findUserByEmail(ctx.db, email)
    const data = await readPerson(ctx, email, account, 'everywhere')
    await writeAudit(ctx, 'person.export', account ? `user:${account.id}` : 'person')
    return { data }
  },
})

const deletePerson = operation({
  name: 'delete_person',
  summary: 'Delete everything about a person',
  description:
    'Deletes the account with everything that belongs to it and the conversations in which the person is the customer, removes the person from products and partners, and replaces the address in texts and in the audit log with a pseudonym that says nothing about who it was. A subscription is cancelled at Stripe. This cannot be undone. The answer says where the address still is, such as in a published listing.',
  method: 'POST',
  path: '/people/delete',
  body: personBody,
  data: erasedSchema,
  run: async (ctx, _input, body) => {
    const email = normalizeEmail(body.email)
    if (normalizeEmail(ctx.caller.label) === email)
      throw unfit(
        'This is your own address. Delete your account in your dashboard, or ask another administrator.',
        'email',
      )
    const account = await accounts.findUserByEmail(ctx.db, email)
    const person = { email, userId: account?.id ?? null }
    const erased = await erasePerson(ctx, person)
    return { data: { ...erased, stays: await countInKeptRows(ctx.db, ctx.personalData.keptAtDeletion, person) } }
  },
})

export const peopleOperations = [exportPerson, deletePerson]

/** Everything that is stored about the person, as an export has it. */
export async function readPerson(ctx: Context, email: string, account: accounts.UserRow | undefined, scope: Scope) {
  const person = { email, userId: account?.id ?? null }
  const read = await readSections(ctx.db, ctx.personalData.texts, person, scope)
  return { email, exportedAt: ctx.now(), account: account ? accountOf(account) : null, ...read }
}

/** The fields are named one by one, because the schema of the operation does not filter what users download. */
function accountOf(user: accounts.UserRow) {
  const { id, email, emailVerified, name, image, plan, role, banned, partnerId, createdAt, updatedAt } = user
  return { id, email, emailVerified, name, image, plan, role, banned, partnerId, createdAt, updatedAt }
}

export const exportAccount = pageOperation({
  name: 'export_account',
  bucket: 'export',
  data: personSchema,
  run: async (ctx) => {
    const user = orNotFound(await accounts.findUser(ctx.db, ctx.caller.id), 'User')
    return { data: await readPerson(ctx, user.email, user, 'account') }
  },
})

export const deleteAccount = pageOperation({
  name: 'delete_account',
  body: ownDeletionBody,
  data: Type.Object({ deleted: booleanType('true.', true) }, { description: 'Done.' }),
  run: async (ctx, _input, { confirm, current = '' }) => {
    const user = orNotFound(await accounts.findUser(ctx.db, ctx.caller.id), 'User')
    if (normalizeEmail(confirm) !== user.email)
      throw badRequest('Type the e-mail address of the account to delete it for good.')
    const providers = await accounts.listProvidersOfUser(ctx.db, user.id)
    // A session alone does not prove that the person is its user, because a browser may have been left open.
    if (providers.includes('credential') && !(await ctx.signIn.signIn(user.email, current)))
      throw badRequest('The password is wrong.')
    await eraseAccount(ctx, { email: user.email, userId: user.id }, { isAdministrator: user.role === 'admin' })
    return { data: { deleted: true } }
  },
})

export const ownPersonOperations = [exportAccount, deleteAccount]
