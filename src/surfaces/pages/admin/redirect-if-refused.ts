// For actions that end on another page than they began on, such as the page that shows a secret once.
import type { FastifyReply } from 'fastify'
import type { Service } from '../../http/service.ts'
import { redirectWith } from '../kit/messages.ts'
import { isCorrectable } from '../kit/private-pages.ts'

/** Does the work. A failure that the user can correct becomes a redirect with the reason; otherwise the result is null. */
export async function redirectIfRefused(
  service: Service,
  reply: FastifyReply,
  back: string,
  work: () => Promise<void>,
): Promise<FastifyReply | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return redirectWith(service, reply, back, { kind: 'danger', text: error.message })
  }
}
