import type { FastifyRequest } from 'fastify'

/** A parameter of the path. */
export const param = (request: FastifyRequest, name: string): string =>
  (request.params as Record<string, string>)[name] ?? ''
