// The console, for administrators. Each section adds its own pages; all of them ask the operations of the operator API.
import type { FastifyInstance } from 'fastify'
import type { Service } from '../../http/service.ts'

export function addConsole(_server: FastifyInstance, _service: Service): void {}
