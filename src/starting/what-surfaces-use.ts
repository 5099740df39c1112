// Builds the `Service` object: everything that the surfaces use of the service.
import type { Config } from '../config.ts'
import { scaled, signUpBudgets, VISITOR_BUDGETS } from '../features/keys/budgets.rules.ts'
import { derivedSecret } from '../features/keys/rules.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Context, SharedContext } from '../kernel/context.ts'
import type { Metrics } from '../kernel/interfaces/metrics.ts'
import { createSecretMatcher } from '../platform/folder/secrets.ts'
import { withMetrics } from '../platform/metrics.ts'
import { metricsOfAll } from '../process/multi-process.ts'
import { VERSION } from '../process/version.ts'
import { createCrawlerCheck } from '../surfaces/http/requests/crawler-check.ts'
import { createHosts } from '../surfaces/http/requests/hosts.ts'
import { createSpentSessions } from '../surfaces/http/requests/sessions.ts'
import type { Service } from '../surfaces/http/service.ts'
import type { Platform } from './platform.ts'

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
