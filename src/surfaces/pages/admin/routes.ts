// The console, for administrators. Each section adds its own pages; all of them ask the operations of the operator API.
import type { FastifyInstance } from 'fastify'
import type { Service } from '../../http/service.ts'
import { addEnrichmentPages } from './enrichments.ts'
import { addHomePages } from './home.ts'
import { addSubmissionPages } from './submissions.ts'
import { addSupportPages } from './support.ts'
import { addWebhookPages } from './webhooks.ts'

export function addConsole(server: FastifyInstance, service: Service): void {
  addHomePages(server, service)
  addSubmissionPages(server, service)
  addSupportPages(server, service)
  addWebhookPages(server, service)
  addEnrichmentPages(server, service)
}
