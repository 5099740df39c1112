// Table of contents: every operation of the service, in the order of the specification.
import { listAuditEntries } from './features/audit/operations.ts'
import { backupOperations } from './features/backups/operations.ts'
import { ownPlanOperations } from './features/billing/account.operations.ts'
import { billingOperations } from './features/billing/operations.ts'
import { catalogOperations } from './features/catalog/operations.ts'
import { enrichmentOperations } from './features/enrichment/operations.ts'
import { ownOperations } from './features/keys/account.operations.ts'
import { keyOperations } from './features/keys/operations.ts'
import { partnerKeyOperations } from './features/keys/partner-keys.operations.ts'
import { userOperations } from './features/keys/users.operations.ts'
import { listingOperations } from './features/listings/operations.ts'
import { explainSearch } from './features/listings/search.operations.ts'
import { tableOperations } from './features/listings/table.operations.ts'
import { modelCallOperations } from './features/model-calls/operations.ts'
import { ownGrantOperations } from './features/oauth/account.operations.ts'
import { grantOperations } from './features/oauth/operations.ts'
import { getOverview, getWaiting, listBrokenRows } from './features/overview/operations.ts'
import { ownPartnerOperations } from './features/partners/account.operations.ts'
import { partnerOperations } from './features/partners/operations.ts'
import { ownPersonOperations } from './features/people/account.operations.ts'
import { peopleOperations } from './features/people/operations.ts'
import { pictureOperations } from './features/pictures/operations.ts'
import { benchListOperations } from './features/plan/bench.operations.ts'
import { planOperations } from './features/plan/operations.ts'
import { proofOperations } from './features/proof/operations.ts'
import { compareSettings } from './features/settings/operations.ts'
import { collectionOperations } from './features/site/collections.operations.ts'
import { siteOperations } from './features/site/operations.ts'
import { ownSubmissionOperations } from './features/submissions/account.operations.ts'
import { benchOperations } from './features/submissions/bench.operations.ts'
import { submissionOperations } from './features/submissions/operations.ts'
import { queueOperations } from './features/submissions/queue.operations.ts'
import { submissionReadOperations } from './features/submissions/read.operations.ts'
import { tagOperations } from './features/submissions/tags.operations.ts'
import { viewOperations } from './features/submissions/views.operations.ts'
import { ownConversationOperations } from './features/support/account.operations.ts'
import { deskOperations } from './features/support/desk.operations.ts'
import { inboxOperations } from './features/support/inbox.operations.ts'
import { knowledgeOperations } from './features/support/knowledge.operations.ts'
import { supportOperations } from './features/support/operations.ts'
import { unfoundOperations } from './features/unfound/operations.ts'
import { ownDeliveryOperations } from './features/webhooks/account.operations.ts'
import { webhookOperations } from './features/webhooks/operations.ts'
import type { Operation, RoutedOperation } from './kernel/operation.ts'

/** Served under {base_url}. Operations with a tool description are MCP tools too. */
export const restOperations: readonly RoutedOperation[] = [
  ...catalogOperations,
  ...submissionOperations,
  ...supportOperations,
]

/** Served under the operator API. */
export const operatorOperations: readonly RoutedOperation[] = [
  ...keyOperations,
  ...partnerKeyOperations,
  ...partnerOperations,
  ...listingOperations,
  ...tableOperations,
  ...tagOperations,
  explainSearch,
  ...queueOperations,
  ...submissionReadOperations,
  ...planOperations,
  ...benchOperations,
  ...benchListOperations,
  ...viewOperations,
  ...proofOperations,
  ...inboxOperations,
  ...deskOperations,
  ...knowledgeOperations,
  ...webhookOperations,
  ...enrichmentOperations,
  ...pictureOperations,
  ...userOperations,
  ...peopleOperations,
  ...billingOperations,
  ...grantOperations,
  ...backupOperations,
  ...unfoundOperations,
  ...modelCallOperations,
  ...siteOperations,
  ...collectionOperations,
  listAuditEntries,
  getOverview,
  getWaiting,
  listBrokenRows,
  compareSettings,
]

/** What a signed-in user may do. Only the pages of the dashboard call these; they have no addresses of their own. */
export const accountOperations: readonly Operation[] = [
  ...ownOperations,
  ...ownPersonOperations,
  ...ownGrantOperations,
  ...ownPlanOperations,
  ...ownPartnerOperations,
  ...ownSubmissionOperations,
  ...ownDeliveryOperations,
  ...ownConversationOperations,
]
