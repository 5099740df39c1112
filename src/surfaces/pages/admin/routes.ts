// The routes of the console for administrators. Each section declares its pages, and they perform operations of the operator API.
import type { FastifyInstance } from 'fastify'
import { MAX_PICTURE_BYTES } from '../../../kernel/interfaces/picture-store.ts'
import type { RoutedOperation } from '../../../kernel/operation.ts'
import type { Service } from '../../http/service.ts'
import { readBufferedUploads, readStreamedUploads } from '../kit/forms/uploads.ts'
import { addPrivatePages } from '../kit/sending/private-pages.ts'
import { auditPages } from './audit.ts'
import { brokenRowPages } from './catalog/broken-rows.ts'
import { enrichmentPages, picturePages } from './catalog/enrichments.ts'
import { healthPages } from './catalog/health.ts'
import { linkPages } from './catalog/links.ts'
import { proposalPages } from './catalog/proposals.ts'
import { reviewPages } from './catalog/reviews.ts'
import { taxonomyPages } from './catalog/taxonomy.ts'
import { unfoundPages } from './catalog/unfound.ts'
import { visitorReportPages } from './catalog/visitor-reports.ts'
import { ownerPages } from './customers/owners.ts'
import { partnerPages } from './customers/partners.ts'
import { orderPages, subscriptionPages } from './customers/payments.ts'
import { userPages } from './customers/users.ts'
import { webhookPages } from './customers/webhooks.ts'
import { findPages } from './find.ts'
import { homePages } from './home.ts'
import { CONSOLE } from './kit/frame.ts'
import { importPages } from './listings/import-routes.ts'
import { DIRECTORY_LISTINGS, TOOL_LISTINGS } from './listings/kinds.ts'
import { numberPages } from './listings/numbers.ts'
import { listingPages, readListingForms } from './listings/routes.ts'
import { MAX_FILES_BYTES } from './listings/uploads.ts'
import { operationPages } from './operations.ts'
import { openingPages, searchPages } from './search.ts'
import { collectionPages } from './site/collections.ts'
import { agentPages, sitePages } from './site/site.ts'
import { benchPages, benchUploads } from './submissions/bench/bench-routes.ts'
import { checkPages } from './submissions/checks.ts'
import { planPages } from './submissions/plan.ts'
import { directoryUploads, submissionPages } from './submissions/routes.ts'
import { waitingPages } from './submissions/waiting.ts'
import { deskPages } from './support/desk.ts'
import { knowledgePages } from './support/knowledge.ts'
import { modelPages, supportPages } from './support/list.ts'

export function addConsole(server: FastifyInstance, service: Service, operations: readonly RoutedOperation[]): void {
  addPrivatePages(server, service, CONSOLE, {
    ...homePages,
    ...findPages,
    ...brokenRowPages,
    ...submissionPages,
    ...waitingPages,
    ...benchPages,
    ...planPages,
    ...checkPages,
    ...(service.founders !== 'off' && { ...reviewPages, ...ownerPages, ...numberPages }),
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
    ...agentPages,
    ...operationPages(operations),
  })
  const withPictures = readBufferedUploads(MAX_PICTURE_BYTES)
  addPrivatePages(server, service, CONSOLE, { ...directoryUploads, ...benchUploads }, withPictures)
  addPrivatePages(
    server,
    service,
    CONSOLE,
    { ...listingPages(TOOL_LISTINGS), ...listingPages(DIRECTORY_LISTINGS) },
    readListingForms,
  )
  addPrivatePages(server, service, CONSOLE, importPages, readStreamedUploads)
  addPrivatePages(server, service, CONSOLE, sitePages, readBufferedUploads(MAX_FILES_BYTES))
}
