// Adds everything that answers requests to one HTTP server, and builds the `Service` object: everything that the surfaces use of the
// service.
import type { Config } from '../config.ts'
import { scaled, signUpBudgets, VISITOR_BUDGETS } from '../features/keys/budgets.rules.ts'
import { derivedSecret } from '../features/keys/rules.ts'
import * as features from '../features.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Context, SharedContext } from '../kernel/context.ts'
import type { Metrics } from '../kernel/interfaces/metrics.ts'
import { createSecretMatcher } from '../platform/folder/secrets.ts'
import { withMetrics } from '../platform/metrics.ts'
import { metricsOfAll } from '../process/multi-process.ts'
import { VERSION } from '../process/version.ts'
import { addBilling } from '../surfaces/billing/routes.ts'
import { ADMIN_BASE, REST_BASE } from '../surfaces/http/addresses.ts'
import { addMetrics } from '../surfaces/http/metrics-route.ts'
import { createCrawlerCheck } from '../surfaces/http/requests/crawler-check.ts'
import { createHosts } from '../surfaces/http/requests/hosts.ts'
import { createSpentSessions } from '../surfaces/http/requests/sessions.ts'
import { createServer } from '../surfaces/http/server.ts'
import type { Service } from '../surfaces/http/service.ts'
import { addMcp } from '../surfaces/mcp/routes.ts'
import { addOAuth } from '../surfaces/oauth/routes.ts'
import { addAccountPages } from '../surfaces/pages/account/routes.ts'
import { addConsole } from '../surfaces/pages/admin/routes.ts'
import { addDashboard } from '../surfaces/pages/dashboard/routes.ts'
import { addFounderPages } from '../surfaces/pages/founders/routes.ts'
import { failureAnswer } from '../surfaces/pages/kit/sending/answers.ts'
import { addMedia } from '../surfaces/pages/media.ts'
import { addPages } from '../surfaces/pages/site/routes.ts'
import { discovery } from '../surfaces/rest/discovery.ts'
import { addOpenapi } from '../surfaces/rest/openapi.ts'
import { addOperations } from '../surfaces/rest/routes.ts'
import type { Platform } from './platform.ts'

/** `mcpLibraryPath`: the path of a second MCP address, for comparison in tests. */
export function createSurfaces(service: Service, limitScale: number, mcpLibraryPath?: string) {
  const server = createServer(service, failureAnswer(service))
  const { restOperations, webhookEvents } = features
  // With FOUNDERS=off the operator API has no operations for products of founders.
  const operatorOperations = features.operatorOperations.filter(
    ({ group }) => service.founders !== 'off' || group !== 'Founders',
  )
  const withDiscovery = [discovery(restOperations, limitScale), ...restOperations]
  addOperations(server, service, REST_BASE, withDiscovery)
  addOpenapi(server, service, { rest: withDiscovery, operator: operatorOperations }, webhookEvents)
  addOperations(server, service, ADMIN_BASE, operatorOperations)
  addPages(server, service, withDiscovery, webhookEvents)
  addAccountPages(
    server,
    service,
    operatorOperations.flatMap(({ tool, summary }) => (tool ? (tool.title ?? summary) : [])),
  )
  addDashboard(server, service)
  if (service.founders !== 'off') addFounderPages(server, service)
  addConsole(server, service, operatorOperations)
  addMedia(server, service)
  addMetrics(server, service)
  addMcp(server, service, { rest: restOperations, operator: operatorOperations }, mcpLibraryPath)
  addOAuth(server, service)
  addBilling(server, service)
  return server
}

interface ServiceOptions extends Pick<Service, 'isStarted' | 'isReady' | 'isClosing'> {
  config: Config
  platform: Platform
  shared: SharedContext
  context(caller: Caller): Context
  metrics: Metrics
}

export function createService(options: ServiceOptions): Service {
  const { config, platform, shared, context, metrics, isStarted, isReady, isClosing } = options
  const { publicUrl, pepper, redis, memory } = platform
  const { log, keys, site, signIn, usage, visits, unfound, hostNames } = shared
  const scale: Service['scale'] = (budgets) => scaled(budgets, config.RATE_LIMIT_SCALE)
  return {
    ...{ publicUrl, log, scale, context, isStarted, isReady, isClosing },
    ...{ keys, site, signIn, usage, visits, unfound },
    version: VERSION,
    limiter: withMetrics(redis ?? memory, metrics),
    visitorBudgets: scale(VISITOR_BUDGETS),
    signUpBudgets: scale(signUpBudgets(config.SIGN_UPS_PER_DAY)),
    hosts: createHosts(publicUrl, config.ALLOWED_HOSTS),
    trustedProxies: config.TRUST_PROXY,
    isOperatorToken: createSecretMatcher(platform.adminToken),
    formSecret: derivedSecret(pepper, 'forms'),
    agentsSignIn: config.OAUTH === 'on',
    takesPayments: shared.billing !== null,
    sellsPackages:
      shared.billing !== null && shared.founders.mode !== 'off' && config.STRIPE_PACKAGE_PRICES !== undefined,
    founders: shared.founders.mode,
    contentSignal: config.CONTENT_SIGNAL,
    showsStyleguide: config.STYLEGUIDE === 'on',
    sendsMail: shared.mailer !== null,
    spentSessions: createSpentSessions(),
    countAnswer: metrics.request,
    metrics: () => metricsOfAll(metrics),
    crawlers: createCrawlerCheck({ hostNames, log }),
  }
}
