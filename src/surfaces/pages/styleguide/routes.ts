// /styleguide: every component in every state, for people who work on pages. It exists only with STYLEGUIDE=on, as `npm run dev` sets it.
import type { FastifyInstance } from 'fastify'
import { refuseOtherMethods } from '../../http/answers.ts'
import { visitorGate } from '../../http/gate.ts'
import type { Service } from '../../http/service.ts'
import { failureAnswer, HTML_TYPE, setPageHeaders } from '../kit/answers.ts'
import { renderPage } from '../kit/document.ts'
import { type AddressQuery, queryText } from '../kit/site-addresses.ts'
import { STYLEGUIDE, styleguidePage } from './page.ts'

export function addStyleguide(server: FastifyInstance, service: Service): void {
  server.register(async (scope) => {
    scope.addHook('onRequest', setPageHeaders)
    scope.addHook('onRequest', visitorGate(service))
    scope.setErrorHandler(failureAnswer(service))
    scope.get(STYLEGUIDE, (request, reply) => {
      const page = styleguidePage(queryText(request.query as AddressQuery, 'scheme'))
      return reply.header('cache-control', 'no-store').type(HTML_TYPE).send(renderPage(page, service.site.fields()))
    })
  })
  refuseOtherMethods(server, service, STYLEGUIDE)
}
