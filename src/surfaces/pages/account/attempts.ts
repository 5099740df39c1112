// Limits sign-in attempts by network address and by account, and how many accounts one network address may create. The numbers are in
// features/keys/budgets.rules.ts.
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { MAIL_BUDGETS, SIGN_IN_BUDGETS } from '../../../features/keys/budgets.rules.ts'
import type { Budget } from '../../../kernel/caller.ts'
import { Failure } from '../../../kernel/errors.ts'
import { visitorAddress } from '../../http/callers.ts'
import type { Service } from '../../http/service.ts'

/**
 * Charges an attempt whether it succeeds or not, because the limit is on guessing and on hashing passwords. Callers pass null for
 * `email` only on routes where the password of an account cannot be guessed.
 */
export async function chargeAttempt(service: Service, request: FastifyRequest, email: string | null): Promise<void> {
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

const hashOf = (email: string): string => createHash('sha256').update(email).digest('base64url').slice(0, 22)

/** The counters of the budgets. The names must stay, because another version of the service may count at the same time. */
const MAIL_COUNTERS: Record<keyof typeof MAIL_BUDGETS, string> = {
  perRecipient: 'mail-to',
  perSender: 'mail-from',
  perPair: 'mail-first',
  firstRequestsPerRecipient: 'mail-firsts',
}

/**
 * Whether a mail may be sent to this address now. The page for the visitor must be the same either way, so that it does not reveal what
 * others have asked for. Throws when one IP address has asked too often.
 */
export async function mayMail(service: Service, request: FastifyRequest, email: string): Promise<boolean> {
  const charge = (budget: keyof typeof MAIL_BUDGETS, whom: string) =>
    service.limiter.charge(`${MAIL_COUNTERS[budget]}:${whom}`, service.scale(MAIL_BUDGETS[budget]))
  const [sender, recipient] = [visitorAddress(request.ip), hashOf(email)]
  const { allowed, retryAfter } = await charge('perSender', sender)
  if (!allowed) throw tooMany(retryAfter, (wait) => `Too many mails were asked for. Wait ${wait}, then try again.`)
  const isFirst = (await charge('perPair', `${recipient}:${sender}`)).allowed
  if ((await charge('perRecipient', recipient)).allowed) return true
  return isFirst && (await charge('firstRequestsPerRecipient', recipient)).allowed
}

/** The returned function is called before an account is created by password, GitHub or mailed link, but not by a link from the operator. */
export const chargeSignUp = (service: Service, request: FastifyRequest) => async (): Promise<void> => {
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
  const wait =
    seconds < 90
      ? `${seconds} seconds`
      : seconds < 2 * 3600
        ? `${Math.ceil(seconds / 60)} minutes`
        : `${Math.ceil(seconds / 3600)} hours`
  return new Failure(429, sentence(wait), { headers: { 'retry-after': String(seconds) } })
}
