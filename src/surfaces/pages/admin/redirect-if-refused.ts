// For actions that end on another page than they began on, such as the page that shows a secret once.
import type { FastifyReply } from 'fastify'
import type { Service } from '../../http/service.ts'
import { redirectWith } from '../kit/messages.ts'
import { isCorrectable } from '../kit/private-pages.ts'

/** Does the work and returns its result. A failure that the user can correct becomes a redirect with the reason. */
export async function redirectIfRefused<T>(
  service: Service,
  reply: FastifyReply,
  back: string,
  work: () => Promise<T>,
): Promise<{ done: T } | { refused: FastifyReply }> {
  try {
    return { done: await work() }
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return { refused: redirectWith(service, reply, back, { kind: 'danger', text: error.message }) }
  }
}
