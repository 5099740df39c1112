// Limits how often a visitor may try to sign in, ask for mails and create accounts. The numbers are in features/keys/budgets.rules.ts.
import { createHash } from 'node:crypto'
import { MAIL_BUDGETS, SIGN_IN_BUDGETS } from '../../../features/keys/budgets.rules.ts'
import type { Budget } from '../../../kernel/caller.ts'
import { Failure } from '../../../kernel/errors.ts'
import { visitorAddress } from '../../http/requests/callers.ts'
import type { Visit } from '../kit/sending/private-pages.ts'

/**
 * Charges an attempt to the network and to the account, and throws a 429 when there were too many. An attempt that succeeds is charged too,
 * because checking a password takes time. `email` is null on routes where no password can be guessed; then only the network is charged.
 */
export async function chargeAttempt({ service, request }: Visit, email: string | null): Promise<void> {
  const { address, email: emailFromAddress, emailAnywhere } = SIGN_IN_BUDGETS
  const from = visitorAddress(request.ip)
  const charge = async (id: string, budgets: readonly Budget[]) => {
    const { allowed, retryAfter } = await service.limiter.charge(id, service.scale(budgets))
    if (!allowed) throw tooMany(retryAfter, (wait) => `Too many attempts. Wait ${wait}, then try again.`)
  }
  await charge(`attempt:${from}`, address)
  if (email === null) return
  const hash = hashOf(email)
  await charge(`attempt-at:${hash}:${from}`, emailFromAddress)
  await charge(`attempt-at:${hash}`, emailAnywhere)
}

/** Counters have a hash in their names, so that no e-mail address is stored with them. */
const hashOf = (email: string): string => createHash('sha256').update(email).digest('base64url').slice(0, 22)

/** The names of the counters. They must stay as they are, because another version of the service may count at the same time. */
const MAIL_COUNTERS: Record<keyof typeof MAIL_BUDGETS, string> = {
  perRecipient: 'mail-to',
  perSender: 'mail-from',
  perPair: 'mail-first',
  firstRequestsPerRecipient: 'mail-firsts',
}

/**
 * Whether a mail may be sent to this recipient now. The visitor must see the same page in both cases, because the answer would reveal how
 * many mails others have asked for. Throws a 429 when this network has asked for too many.
 */
export async function mayMail({ service, request }: Visit, email: string): Promise<boolean> {
  const charge = (budget: keyof typeof MAIL_BUDGETS, whom: string) =>
    service.limiter.charge(`${MAIL_COUNTERS[budget]}:${whom}`, service.scale(MAIL_BUDGETS[budget]))
  const [sender, recipient] = [visitorAddress(request.ip), hashOf(email)]
  const { allowed, retryAfter } = await charge('perSender', sender)
  if (!allowed) throw tooMany(retryAfter, (wait) => `Too many mails were asked for. Wait ${wait}, then try again.`)
  // The first mail of the day that a network asks for at this recipient is sent even if others have used up the recipient's mails, up to
  // `firstRequestsPerRecipient`.
  const isFirst = (await charge('perPair', `${recipient}:${sender}`)).allowed
  if ((await charge('perRecipient', recipient)).allowed) return true
  return isFirst && (await charge('firstRequestsPerRecipient', recipient)).allowed
}

/**
 * Returns a function that is called before an account is created, and that throws a 429 when this network has created too many. It is not
 * called for accounts that are created by a link from the operator.
 */
export const signUpCharge =
  ({ service, request }: Visit) =>
  async (): Promise<void> => {
    const decision = await service.limiter.charge(`sign-up:${visitorAddress(request.ip)}`, service.signUpBudgets)
    const made = `${decision.limit} ${decision.limit === 1 ? 'account was' : 'accounts were'} made`
    if (!decision.allowed)
      throw tooMany(
        decision.retryAfter,
        (wait) =>
          `${made} from your network today, and there may be no more. Sign in if one is yours, try again in ${wait}, or ask the operator of this service.`,
      )
  }

function tooMany(seconds: number, sentence: (wait: string) => string): Failure {
  return new Failure(429, sentence(waitText(seconds)), { headers: { 'retry-after': String(seconds) } })
}

function waitText(seconds: number): string {
  if (seconds < 90) return `${seconds} seconds`
  return seconds < 2 * 3600 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`
}
