// Every feature of the service, in the order in which they are created: a feature imports only itself and the features before it.

import type { Static } from 'typebox'
import { accounts } from './features/accounts/feature.ts'
import { audit } from './features/audit/feature.ts'
import { backups } from './features/backups/feature.ts'
import { billing } from './features/billing/feature.ts'
import { catalog } from './features/catalog/feature.ts'
import { embeddings } from './features/embeddings/feature.ts'
import { enrichment } from './features/enrichment/feature.ts'
import { keys } from './features/keys/feature.ts'
import { listings } from './features/listings/feature.ts'
import { mail } from './features/mail/feature.ts'
import { modelCalls } from './features/model-calls/feature.ts'
import { oauth } from './features/oauth/feature.ts'
import { overview } from './features/overview/feature.ts'
import { partners } from './features/partners/feature.ts'
import { people } from './features/people/feature.ts'
import { pictures } from './features/pictures/feature.ts'
import { plan } from './features/plan/feature.ts'
import { proof } from './features/proof/feature.ts'
import { retention } from './features/retention/feature.ts'
import { sandbox } from './features/sandbox/feature.ts'
import { settings } from './features/settings/feature.ts'
import { site } from './features/site/feature.ts'
import { submissions } from './features/submissions/feature.ts'
import { support } from './features/support/feature.ts'
import { unfound } from './features/unfound/feature.ts'
import { users } from './features/users/feature.ts'
import { webhooks } from './features/webhooks/feature.ts'
import { EVENTS } from './features/webhooks/schema.ts'
import type { Feature, Removals } from './kernel/feature.ts'

const declared = [
  retention,
  settings,
  audit,
  backups,
  modelCalls,
  site,
  accounts,
  mail,
  partners,
  keys,
  users,
  oauth,
  unfound,
  catalog,
  embeddings,
  listings,
  webhooks,
  enrichment,
  pictures,
  submissions,
  plan,
  proof,
  support,
  sandbox,
  billing,
  people,
  overview,
] as const satisfies readonly Feature[]

export const features: readonly Feature[] = declared

/** Served under {base_url}. Operations with a tool description are MCP tools too. */
export const restOperations = features.flatMap(({ operations = [] }) => operations)
export const operatorOperations = features.flatMap(({ operatorOperations = [] }) => operatorOperations)
export const accountOperations = features.flatMap(({ accountOperations = [] }) => accountOperations)
/** In the order of the documentation. */
export const webhookEvents = Object.keys(EVENTS).flatMap((name) =>
  features.flatMap(({ events = [] }) => events.filter((event) => event.name === name)),
)
export const removals: Removals = Object.assign({}, ...features.map((feature) => feature.removals))

type OperatorOperation = Extract<
  (typeof declared)[number],
  { operatorOperations: unknown }
>['operatorOperations'][number]

/** Left out of a type by names: a name that is put together, such as `put_${string}`, is no name but a form of names. */
type LiteralName<N extends string> = Record<never, 0> extends Record<N, 0> ? never : N

/** What the operations of the operator API answer, by name. */
export type OperatorAnswers = { [O in OperatorOperation as LiteralName<O['name']>]: Static<O['data']> }
