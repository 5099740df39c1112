// The address to which the payment service sends its events. It exists only while the paid plan is set up.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { billingCaller, receiveEvent } from '../../features/billing/compare.ts'
import { STRIPE_WEBHOOK } from '../../features/billing/rules.ts'
import { badRequest, tooManyRequests } from '../../kernel/errors.ts'
import { charge } from '../../kernel/invoke.ts'
import { refuseOtherMethods } from '../http/answers/answers.ts'
import { inTurn, setRateHeaders } from '../http/gate.ts'
import { visitorOf } from '../http/requests/callers.ts'
import type { Service } from '../http/service.ts'

const RECEIVED = { success: true, data: { received: true } }

export function addBilling(server: FastifyInstance, service: Service): void {
  if (!service.takesPayments) return
  server.register(async (scope) => {
    // The signature is made over the bytes of the body, so it is not parsed as JSON first, whatever the content type says.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) =>
      inTurn(request, () => done(null, bytes)),
    )
    scope.post(STRIPE_WEBHOOK, async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const { 'stripe-signature': signature } = request.headers
      const isGenuine = await receiveEvent(
        service.context(billingCaller),
        body,
        typeof signature === 'string' ? signature : undefined,
      )
      if (!isGenuine) await refuse(service, request, reply)
      return reply.send(RECEIVED)
    })
  })
  refuseOtherMethods(server, service, STRIPE_WEBHOOK, { allowed: ['POST'] })
}

/**
 * Only forged requests are charged to their address, and only after the check of the signature: there may be many genuine events in a day,
 * and behind a proxy forged requests may have the same address as genuine ones.
 */
async function refuse(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<never> {
  const visitor = visitorOf(service, request)
  request.caller = visitor
  const decision = await charge(service.limiter, visitor, 'rest')
  setRateHeaders(reply, decision)
  if (decision && !decision.allowed) throw tooManyRequests(decision.retryAfter)
  throw badRequest('The signature of the event is not valid. Check the signing secret of the webhook endpoint.')
}
