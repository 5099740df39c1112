// Operations of a signed-in user: download or delete everything that is stored about their account.
import { Type } from 'typebox'
import { badRequest, orNotFound } from '../../kernel/errors.ts'
import { pageOperation } from '../../kernel/operation.ts'
import { booleanType } from '../../kernel/schema.ts'
import * as accounts from '../accounts/queries.ts'
import { normalizeEmail } from '../accounts/rules.ts'
import { eraseAccount } from './erase.ts'
import { readPerson } from './operations.ts'
import { ownDeletionBody, personSchema } from './schema.ts'

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
