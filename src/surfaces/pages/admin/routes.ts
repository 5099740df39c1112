// The routes of the console for administrators. Each section declares its pages, and they perform operations of the operator API.
import type { FastifyInstance } from 'fastify'
import { MAX_PICTURE_BYTES } from '../../../kernel/picture-store.ts'
import type { Service } from '../../http/service.ts'
import { readBufferedUploads } from '../kit/buffered-uploads.ts'
import { auditPages } from './audit.ts'
import { brokenRowPages } from './broken-rows.ts'
import { collectionPages } from './collections.ts'
import { enrichmentPages } from './enrichments.ts'
import { findPages } from './find.ts'
import { healthPages } from './health.ts'
import { homePages } from './home.ts'
import { linkPages } from './links.ts'
import { addImportPages } from './listings/import-routes.ts'
import { DIRECTORY_LISTINGS, TOOL_LISTINGS } from './listings/kinds.ts'
import { listingPages, readListingForms } from './listings/routes.ts'
import { orderPages } from './orders.ts'
import { ownerPages } from './owners.ts'
import { partnerPages } from './partners.ts'
import { picturePages } from './pictures.ts'
import { proposalPages } from './proposals.ts'
import { reviewPages } from './reviews.ts'
import { openingPages, searchPages } from './search.ts'
import { addSitePages } from './site.ts'
import { benchPages, benchUploads } from './submissions/bench-routes.ts'
import { checkPages } from './submissions/checks.ts'
import { planPages } from './submissions/plan.ts'
import { directoryUploads, submissionPages } from './submissions/routes.ts'
import { waitingPages } from './submissions/waiting.ts'
import { subscriptionPages } from './subscriptions.ts'
import { deskPages } from './support/desk.ts'
import { knowledgePages } from './support/knowledge.ts'
import { supportPages } from './support/list.ts'
import { modelPages } from './support/model.ts'
import { taxonomyPages } from './taxonomy.ts'
import { unfoundPages } from './unfound.ts'
import { userPages } from './users.ts'
import { addConsolePages } from './visit.ts'
import { visitorReportPages } from './visitor-reports.ts'
import { webhookPages } from './webhooks.ts'

export function addConsole(server: FastifyInstance, service: Service): void {
  addConsolePages(server, service, {
    ...homePages,
    ...findPages,
    ...brokenRowPages,
    ...submissionPages,
    ...waitingPages,
    ...benchPages,
    ...planPages,
    ...checkPages,
    ...(service.founders !== 'off' && { ...reviewPages, ...ownerPages }),
    ...healthPages,
    ...visitorReportPages,
    ...linkPages,
    ...supportPages,
    ...modelPages,
    ...deskPages,
    ...webhookPages,
    ...enrichmentPages,
    ...proposalPages,
    ...picturePages,
    ...taxonomyPages,
    ...collectionPages,
    ...partnerPages,
    ...knowledgePages,
    ...searchPages,
    ...openingPages,
    ...unfoundPages,
    ...userPages(service),
    ...(service.takesPayments && subscriptionPages),
    ...orderPages,
    ...auditPages,
  })
  const withPictures = readBufferedUploads(MAX_PICTURE_BYTES)
  addConsolePages(server, service, { ...directoryUploads, ...benchUploads }, withPictures)
  addConsolePages(
    server,
    service,
    { ...listingPages(TOOL_LISTINGS), ...listingPages(DIRECTORY_LISTINGS) },
    readListingForms,
  )
  addImportPages(server, service)
  addSitePages(server, service)
}
