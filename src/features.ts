// Every feature of the service, in the order in which they are created: a feature imports only itself and the features before it.
import type { Static } from 'typebox'
import { accountsFeature } from './features/accounts/feature.ts'
import { auditFeature } from './features/audit/feature.ts'
import { backupsFeature } from './features/backups/feature.ts'
import { billingFeature } from './features/billing/feature.ts'
import { catalogFeature } from './features/catalog/feature.ts'
import { embeddingsFeature } from './features/embeddings/feature.ts'
import { enrichmentFeature } from './features/enrichment/feature.ts'
import { foundersFeature } from './features/founders/feature.ts'
import { healthFeature } from './features/health/feature.ts'
import { keysFeature } from './features/keys/feature.ts'
import { learningFeature } from './features/learning/feature.ts'
import { listingsFeature } from './features/listings/feature.ts'
import { mailFeature } from './features/mail/feature.ts'
import { modelCallsFeature } from './features/model-calls/feature.ts'
import { oauthFeature } from './features/oauth/feature.ts'
import { overviewFeature } from './features/overview/feature.ts'
import { partnersFeature } from './features/partners/feature.ts'
import { peopleFeature } from './features/people/feature.ts'
import { picturesFeature } from './features/pictures/feature.ts'
import { planFeature } from './features/plan/feature.ts'
import { proofFeature } from './features/proof/feature.ts'
import { proposalsFeature } from './features/proposals/feature.ts'
import { retentionFeature } from './features/retention/feature.ts'
import { sandboxFeature } from './features/sandbox/feature.ts'
import { savedFeature } from './features/saved/feature.ts'
import { searchWordsFeature } from './features/search-words/feature.ts'
import { settingsFeature } from './features/settings/feature.ts'
import { siteFeature } from './features/site/feature.ts'
import { submissionsFeature } from './features/submissions/feature.ts'
import { supportFeature } from './features/support/feature.ts'
import { unfoundFeature } from './features/unfound/feature.ts'
import { usersFeature } from './features/users/feature.ts'
import { webhooksFeature } from './features/webhooks/feature.ts'
import { EVENTS } from './features/webhooks/schema.ts'
import type { Feature, PersonalData, Removals } from './kernel/feature.ts'
import type { RoutedOperation } from './kernel/operation.ts'

const declared = [
  retentionFeature,
  settingsFeature,
  auditFeature,
  backupsFeature,
  modelCallsFeature,
  siteFeature,
  accountsFeature,
  mailFeature,
  partnersFeature,
  keysFeature,
  usersFeature,
  oauthFeature,
  unfoundFeature,
  learningFeature,
  catalogFeature,
  embeddingsFeature,
  listingsFeature,
  proposalsFeature,
  webhooksFeature,
  enrichmentFeature,
  searchWordsFeature,
  picturesFeature,
  submissionsFeature,
  planFeature,
  savedFeature,
  proofFeature,
  healthFeature,
  supportFeature,
  sandboxFeature,
  foundersFeature,
  billingFeature,
  peopleFeature,
  overviewFeature,
] as const satisfies readonly Feature[]

export const features: readonly Feature[] = declared

const catalogFirst = (a: RoutedOperation, b: RoutedOperation): number =>
  Number(b.group === 'Catalog') - Number(a.group === 'Catalog')

/** Served under /api/v1; the reads of the catalog come first. Operations with a tool description are MCP tools too. */
export const restOperations = features
  .flatMap(({ operations = [] }): readonly RoutedOperation[] => operations)
  .toSorted(catalogFirst)
export const operatorOperations = features.flatMap(({ operatorOperations = [] }) => operatorOperations)
/** What a signed-in user may do. Only pages call these; they have no addresses of their own. */
export const accountOperations = features.flatMap(({ accountOperations = [] }) => accountOperations)
/** In the order of EVENTS, which is also the order of the documentation. */
export const webhookEvents = Object.keys(EVENTS).flatMap((name) =>
  features.flatMap(({ events = [] }) => events.filter((event) => event.name === name)),
)
/** Rows that features load into memory. catalog doctor reads them to find invalid ones. */
export const loadedRows = features.flatMap(({ loadedRows = [] }) => loadedRows)
/** How old rows are deleted, by name. */
export const removals: Removals = Object.assign({}, ...features.map((feature) => feature.removals))

const allPersonalData = features.flatMap(({ personalData = {} }) => personalData)
/** What the deletion of a person changes, deletes and keeps, for all features. */
export const personalData: PersonalData = {
  labels: Object.assign({}, ...allPersonalData.map(({ labels }) => labels)),
  texts: Object.assign({}, ...allPersonalData.map(({ texts }) => texts)),
  uniqueTexts: allPersonalData.flatMap(({ uniqueTexts = [] }) => uniqueTexts),
  keptAtDeletion: allPersonalData.flatMap(({ keptAtDeletion = [] }) => keptAtDeletion),
  ofAccount: allPersonalData.flatMap(({ ofAccount = [] }) => ofAccount),
}

type OperatorOperation = Extract<
  (typeof declared)[number],
  { operatorOperations: unknown }
>['operatorOperations'][number]

/** Excludes names that are patterns, such as `put_${string}`: as a key of `OperatorAnswers` a pattern would match many names. */
type LiteralName<N extends string> = Record<never, 0> extends Record<N, 0> ? never : N

/** The response data of each operation of the operator API, by its name. */
export type OperatorAnswers = { [O in OperatorOperation as LiteralName<O['name']>]: Static<O['data']> }
