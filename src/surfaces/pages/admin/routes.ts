// The console for administrators. Each section adds its own pages; all of them use the operations of the operator API.
import type { FastifyInstance } from 'fastify'
import type { Service } from '../../http/service.ts'
import { addAuditPages } from './audit.ts'
import { addBrokenRowPages } from './broken-rows.ts'
import { addCollectionPages } from './collections.ts'
import { addEnrichmentPages } from './enrichments.ts'
import { addHomePages } from './home.ts'
import { addLinkPages } from './links.ts'
import { addImportPages } from './listings/import-routes.ts'
import { addDirectoryPages, addToolPages } from './listings/routes.ts'
import { addPartnerPages } from './partners/routes.ts'
import { addPicturePages } from './pictures.ts'
import { addSearchPages } from './search.ts'
import { addSitePages } from './site.ts'
import { addBenchPages } from './submissions/bench-routes.ts'
import { addCheckPages } from './submissions/checks.ts'
import { addPlanPages } from './submissions/plan.ts'
import { addSubmissionPages } from './submissions/routes.ts'
import { addSubscriptionPages } from './subscriptions.ts'
import { addDeskPages } from './support/desk.ts'
import { addKnowledgePages } from './support/knowledge-routes.ts'
import { addSupportPages } from './support/list.ts'
import { addModelPages } from './support/model.ts'
import { addTaxonomyPages } from './taxonomy/routes.ts'
import { addUnfoundPages } from './unfound.ts'
import { addUserPages } from './users/routes.ts'
import { addWebhookPages } from './webhooks.ts'

export function addConsole(server: FastifyInstance, service: Service): void {
  addHomePages(server, service)
  addBrokenRowPages(server, service)
  addSubmissionPages(server, service)
  addBenchPages(server, service)
  addPlanPages(server, service)
  addCheckPages(server, service)
  addLinkPages(server, service)
  addSupportPages(server, service)
  addModelPages(server, service)
  addDeskPages(server, service)
  addWebhookPages(server, service)
  addEnrichmentPages(server, service)
  addPicturePages(server, service)
  addToolPages(server, service)
  addDirectoryPages(server, service)
  addTaxonomyPages(server, service)
  addCollectionPages(server, service)
  addPartnerPages(server, service)
  addKnowledgePages(server, service)
  addSearchPages(server, service)
  addUnfoundPages(server, service)
  addUserPages(server, service)
  if (service.takesPayments) addSubscriptionPages(server, service)
  addImportPages(server, service)
  addSitePages(server, service)
  addAuditPages(server, service)
}
