// How often a person may try to sign in from one address, and at one account from all addresses; and how many accounts an address may make.
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { SIGN_IN_BUDGETS } from '../../../features/keys/rules.ts'
import { Failure } from '../../../kernel/errors.ts'
import { visitorAddress } from '../../http/callers.ts'
import type { Service } from '../../http/service.ts'

/**
 * Charged whether it succeeds or not: what is limited is guessing, and hashing passwords. Which of the two it is follows from the
 * route: `email` is null only where no password of an account can be guessed.
 */
export async function chargeAttempt(service: Service, request: FastifyRequest, email: string | null): Promise<void> {
  const { address, email: account, emailAnywhere } = SIGN_IN_BUDGETS
  const from = visitorAddress(request.ip)
  const decisions = [await service.limiter.charge(`attempt:${from}`, service.scale(address))]
  if (email !== null && decisions[0]!.allowed) {
    const hash = createHash('sha256').update(email).digest('base64url').slice(0, 22)
    decisions.push(await service.limiter.charge(`attempt-at:${hash}:${from}`, service.scale(account)))
    if (decisions[1]!.allowed)
      decisions.push(await service.limiter.charge(`attempt-at:${hash}`, service.scale(emailAnywhere)))
  }
  const refused = decisions.find(({ allowed }) => !allowed)
  if (refused) throw tooMany(refused.retryAfter, (wait) => `Too many attempts. Wait ${wait}, then try again.`)
}

/** Called when an account is about to be made, with a password or with GitHub; a link is the operator's doing and is not counted. */
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
