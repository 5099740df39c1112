// `/metrics`, for the operator and for scrapers on this machine.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { refuseOtherMethods } from './answers/answers.ts'
import { gate } from './gate.ts'
import { identifyOperator } from './requests/callers.ts'
import type { Service } from './service.ts'

const TYPE = 'text/plain; version=0.0.4; charset=utf-8'
const PATH = '/metrics'

export function addMetrics(server: FastifyInstance, service: Service): void {
  const operatorOnly = gate(service, { name: '', access: 'operator', bucket: 'rest' }, identifyOperator)
  server.get(PATH, {
    onRequest: async (request, reply) => {
      if (!isLocal(request)) await operatorOnly(request, reply)
    },
    handler: async (_request, reply) =>
      reply
        .type(TYPE)
        .header('cache-control', 'no-store')
        .send(await service.metrics()),
  })
  refuseOtherMethods(server, service, PATH)
}

const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'] as const

/** Whether a program on this machine sent the request. Requests that a proxy on this machine forwards do not count. */
function isLocal({ socket, headers }: FastifyRequest): boolean {
  if (FORWARDED.some((name) => headers[name] !== undefined)) return false
  const address = socket.remoteAddress
  return address !== undefined && ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
}
