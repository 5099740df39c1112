// For what ends on a page of its own instead of a redirect, because it shows something once.
import type { FastifyReply } from 'fastify'
import type { Service } from '../../http/service.ts'
import { redirectWith } from '../kit/messages.ts'
import { isCorrectable } from '../kit/private-pages.ts'

/** The redirect that says why something was not done, or null when it was. */
export async function refusal(
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
