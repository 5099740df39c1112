// The console for administrators. Each section adds its own pages; all of them use the operations of the operator API.
import type { FastifyInstance } from 'fastify'
import type { Service } from '../../http/service.ts'
import { auditPages } from './audit.ts'
import { brokenRowPages } from './broken-rows.ts'
import { collectionPages } from './collections.ts'
import { enrichmentPages } from './enrichments.ts'
import { addHomePages } from './home.ts'
import { linkPages } from './links.ts'
import { addImportPages } from './listings/import-routes.ts'
import { addDirectoryPages, addToolPages } from './listings/routes.ts'
import { partnerPages } from './partners.ts'
import { picturePages } from './pictures.ts'
import { addSearchPages } from './search.ts'
import { addSitePages } from './site.ts'
import { addBenchPages } from './submissions/bench-routes.ts'
import { addCheckPages } from './submissions/checks.ts'
import { addPlanPages } from './submissions/plan.ts'
import { addSubmissionPages } from './submissions/routes.ts'
import { subscriptionPages } from './subscriptions.ts'
import { addDeskPages } from './support/desk.ts'
import { addKnowledgePages } from './support/knowledge-routes.ts'
import { addSupportPages } from './support/list.ts'
import { addModelPages } from './support/model.ts'
import { addTaxonomyPages } from './taxonomy/routes.ts'
import { unfoundPages } from './unfound.ts'
import { userPages } from './users.ts'
import { addConsolePages } from './visit.ts'
import { webhookPages } from './webhooks.ts'

export function addConsole(server: FastifyInstance, service: Service): void {
  addHomePages(server, service)
  addConsolePages(server, service, brokenRowPages)
  addSubmissionPages(server, service)
  addBenchPages(server, service)
  addPlanPages(server, service)
  addCheckPages(server, service)
  addConsolePages(server, service, linkPages)
  addSupportPages(server, service)
  addModelPages(server, service)
  addDeskPages(server, service)
  addConsolePages(server, service, webhookPages)
  addConsolePages(server, service, enrichmentPages)
  addConsolePages(server, service, picturePages)
  addToolPages(server, service)
  addDirectoryPages(server, service)
  addTaxonomyPages(server, service)
  addConsolePages(server, service, collectionPages)
  addConsolePages(server, service, partnerPages)
  addKnowledgePages(server, service)
  addSearchPages(server, service)
  addConsolePages(server, service, unfoundPages)
  addConsolePages(server, service, userPages(service))
  if (service.takesPayments) addConsolePages(server, service, subscriptionPages)
  addImportPages(server, service)
  addSitePages(server, service)
  addConsolePages(server, service, auditPages)
}
