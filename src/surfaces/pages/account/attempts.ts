// How often somebody may try to sign in: from one address, and at one account from wherever.
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
  if (!refused) return
  const { retryAfter } = refused
  const wait = retryAfter < 90 ? `${retryAfter} seconds` : `${Math.ceil(retryAfter / 60)} minutes`
  throw new Failure(429, `Too many attempts. Wait ${wait}, then try again.`, {
    headers: { 'retry-after': String(retryAfter) },
  })
}
