// Composition root: builds everything from a configuration and hands features their context. Only main.ts and tests import it.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import { webhookEvents } from './events.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './features/accounts/rules.ts'
import { sessionUserOf } from './features/accounts/sign-in.ts'
import { credentials, sessions, users, verifications } from './features/accounts/tables.ts'
import { createBilling } from './features/billing/payments.ts'
import { createCatalogFile } from './features/catalog/catalog-file.ts'
import { createCatalog } from './features/catalog/snapshot.ts'
import { createEmbeddings } from './features/embeddings/create-embeddings.ts'
import { enricher, enrichmentJob } from './features/enrichment/jobs.ts'
import { createPageReading } from './features/enrichment/page-reading.ts'
import { createKeyCache } from './features/keys/key-cache.ts'
import { pepperProblem } from './features/keys/pepper.ts'
import { derivedSecret, scaled, signUpBudgets, VISITOR_BUDGETS } from './features/keys/rules.ts'
import { createUsage } from './features/keys/usage.ts'
import { createLineChecks } from './features/listings/check-lines.ts'
import { createVisitCounter } from './features/listings/visits.ts'
import { mailCaller, mailJob } from './features/mail/jobs.ts'
import { storeModelCalls } from './features/model-calls/store.ts'
import { upsertGrantUsage } from './features/oauth/grant.queries.ts'
import { PROTOCOL_SETTINGS } from './features/oauth/rules.ts'
import { tokenSource } from './features/oauth/token-source.ts'
import { createPictureMirror } from './features/pictures/create-mirror.ts'
import { createLinkAccess } from './features/proof/link-access.ts'
import { daysKept } from './features/retention/rules.ts'
import { createSandbox } from './features/sandbox/test-submissions.ts'
import { settingValues } from './features/settings/rules.ts'
import { createCurrentSite } from './features/site/current-site.ts'
import { renewKeys } from './features/submissions/website-keys.ts'
import { builtInAnswerer } from './features/support/built-in-answerer.ts'
import { createKnowledgeCache } from './features/support/knowledge.ts'
import { createModelAnswerer } from './features/support/model-answerer.ts'
import { createUnfoundCounter, noUnfoundCounter } from './features/unfound/counter.ts'
import { createBrokenRows } from './kernel/broken-rows.ts'
import type { Caller } from './kernel/caller.ts'
import type { Context, Log } from './kernel/context.ts'
import { starting } from './kernel/errors.ts'
import type { HostNames } from './kernel/host-names.ts'
import type { Job } from './kernel/job.ts'
import { attemptContext } from './kernel/job-context.ts'
import { createViews } from './kernel/views.ts'
import { operatorOperations, restOperations } from './operations.ts'
import { CATALOG, OPERATOR_TOKEN, PEPPER, PICTURES, temporaryIn } from './platform/data-folder.ts'
import { beginEmbedded } from './platform/database/embedded.ts'
import { databaseMetrics } from './platform/database/metrics.ts'
import { applyMigrations } from './platform/database/migrations.ts'
import { createContexts, openPostgres } from './platform/database/postgres.ts'
import { createEmbeddingModel } from './platform/embedding-model.ts'
import { createKeptThreads } from './platform/kept-threads.ts'
import { createLanguageModel } from './platform/language-model.ts'
import { createMemoryLimiter } from './platform/limiter/memory.ts'
import { openRedisLimiter } from './platform/limiter/redis-on-demand.ts'
import { withMetrics } from './platform/limiter/with-metrics.ts'
import { withoutValues } from './platform/log.ts'
import { openMailer } from './platform/mailer.ts'
import { createMetrics } from './platform/metrics.ts'
import { modelSettings } from './platform/model-endpoint.ts'
import { createOAuthProtocol } from './platform/oauth-protocol.ts'
import { createHostNames } from './platform/outbound/host-names.ts'
import { createOutbound } from './platform/outbound/outbound.ts'
import { createPictures } from './platform/pictures/encode.ts'
import { openPictureStore, StorePackageMissing } from './platform/pictures/store.ts'
import { createQueue } from './platform/queue.ts'
import { openScratch } from './platform/scratch.ts'
import { createSecretMatcher, secretInFile } from './platform/secrets.ts'
import { createSignIn } from './platform/sign-in.ts'
import { createSnapshots } from './platform/snapshots.ts'
import { openStripe } from './platform/stripe.ts'
import { featureMetrics } from './process/feature-metrics.ts'
import { startForgetting } from './process/forget.ts'
import { metricsOfAll, shareCounts } from './process/multi-process.ts'
import { VERSION } from './process/version.ts'
import { whenReachable } from './process/when-reachable.ts'
import { addBilling } from './surfaces/billing/routes.ts'
import { ADMIN_BASE, REST_BASE } from './surfaces/http/addresses.ts'
import { operator } from './surfaces/http/callers.ts'
import { createCrawlerCheck } from './surfaces/http/crawlers.ts'
import { createHosts } from './surfaces/http/hosts.ts'
import { addMetrics } from './surfaces/http/metrics.ts'
import { createServer } from './surfaces/http/server.ts'
import type { Service } from './surfaces/http/service.ts'
import { createSpentSessions } from './surfaces/http/sessions.ts'
import { stopServer } from './surfaces/http/stop.ts'
import { addMcp } from './surfaces/mcp/routes.ts'
import { addOAuth } from './surfaces/oauth/routes.ts'
import { addAccountPages } from './surfaces/pages/account/routes.ts'
import { addConsole } from './surfaces/pages/admin/routes.ts'
import { addDashboard } from './surfaces/pages/dashboard/routes.ts'
import { failureAnswer } from './surfaces/pages/kit/answers.ts'
import { addMedia } from './surfaces/pages/media.ts'
import { addPages } from './surfaces/pages/site/routes.ts'
import { discovery } from './surfaces/rest/discovery.ts'
import { addOpenapi } from './surfaces/rest/openapi.ts'
import { addOperations } from './surfaces/rest/routes.ts'
import { regularWorkers } from './surfaces/worker/regular.ts'

export class StartError extends Error {}

export interface App {
  server: FastifyInstance
  context(caller: Caller): Context
  /** Connects to the database, brings it up to date and loads the catalog; waits for a database that is away. Ready when `seed` has ended. */
  start(seed?: () => Promise<void>): Promise<void>
  /** Resolves when everything announced so far is visible to readers. */
  settled(): Promise<void>
  adminTokenFile: string | null
  close(): Promise<void>
}

/** What a process does: it answers requests (server), does the background work (worker), or both. */
export type ProcessRole = 'both' | 'server' | 'worker'

/** Tests pass their own DNS and shorter times here, and the path of a second MCP address, for comparison (see `addMcp`). */
export interface OutsideReplacements {
  mcpLibraryPath?: string
  hostNames?: HostNames
  newLengthMs?: number
  catalogFileMs?: number
  billingMs?: number
}

export async function createApp(
  config: Config,
  givenLog: Log,
  role: ProcessRole = 'both',
  outside: OutsideReplacements = {},
): Promise<App> {
  const doesBackgroundWork = role !== 'server'
  const log = withoutValues(givenLog)
  const publicUrl = config.PUBLIC_URL ?? `http://localhost:${config.PORT}`
  const tokenFile = join(config.DATA_DIR, OPERATOR_TOKEN)
  const pictureStore = await openPictureStore(config, join(config.DATA_DIR, PICTURES)).catch((error: Error) => {
    throw error instanceof StorePackageMissing ? new StartError(error.message, { cause: error }) : error
  })
  const { store, opened } = config.DATABASE_URL
    ? { store: openPostgres({ connectionString: config.DATABASE_URL }, log), opened: undefined }
    : beginEmbedded(config.DATA_DIR, log)
  // An import that was killed leaves files here. With PostgreSQL another process may still use them, so they are kept.
  if (!config.DATABASE_URL) rmSync(temporaryIn(config.DATA_DIR), { recursive: true, force: true })
  const pepper = config.KEY_PEPPER ?? secretInFile(join(config.DATA_DIR, PEPPER))
  const memory = createMemoryLimiter()
  const redis = config.REDIS_URL ? await openRedisLimiter(config.REDIS_URL, memory, log) : null
  const timers = startForgetting(store, memory)
  const brokenRows = createBrokenRows(log)
  const from = { path: join(config.DATA_DIR, CATALOG), db: store.db, log, publicUrl, checkMs: outside.catalogFileMs }
  const file = config.CATALOG_FILE === 'on' && role !== 'worker' ? createCatalogFile(from) : null
  const catalog = createCatalog({ db: store.db, log, publicUrl, brokenRows, file, isHidden: () => !isReady })
  const [agentsSignIn, scale] = [config.OAUTH === 'on', config.RATE_LIMIT_SCALE]
  const otherSources = agentsSignIn ? [tokenSource(scale)] : []
  const keys = createKeyCache({ db: store.db, pepper, scale, log, brokenRows, otherSources })
  const site = createCurrentSite({ db: store.db, log, publicUrl, createThreads: createKeptThreads })
  const usage = createUsage({ db: store.db, log }, upsertGrantUsage)
  const unfound = config.SEARCH_LEARNING === 'on' ? createUnfoundCounter({ db: store.db, log }) : noUnfoundCounter
  let [isStarted, isReady] = [false, false]
  const checkStarted = () => {
    if (!isStarted) throw starting()
  }
  const signIn = createSignIn({
    db: store.db,
    checkStarted,
    tables: { user: users, session: sessions, account: credentials, verification: verifications },
    userOf: sessionUserOf,
    publicUrl,
    secret: derivedSecret(pepper, 'sessions'),
    github:
      config.GITHUB_CLIENT_ID && config.GITHUB_CLIENT_SECRET
        ? { clientId: config.GITHUB_CLIENT_ID, clientSecret: config.GITHUB_CLIENT_SECRET }
        : null,
    passwordLengths: { least: MIN_PASSWORD_LENGTH, most: MAX_PASSWORD_LENGTH },
    log,
  })
  const hostNames = createHostNames()
  const llm = modelSettings(config.LLM_BASE_URL, config.LLM_API_KEY, config.LLM_MODEL)
  const languageModel = llm && createLanguageModel(llm, storeModelCalls(store.db, log))
  const endpoint = modelSettings(config.EMBEDDINGS_URL, config.EMBEDDINGS_API_KEY, config.EMBEDDINGS_MODEL)
  const embeddingModel = endpoint && createEmbeddingModel(endpoint)
  const embeddings =
    embeddingModel &&
    createEmbeddings({ db: store.db, log, model: embeddingModel, context: (as) => context(as) }, outside.newLengthMs)
  const mirror = createPictureMirror({ context: (as) => context(as), log, settings: config })
  const afterChanges = embeddings ? [embeddings, mirror] : [mirror]
  const views = createViews([catalog, keys, site, ...(embeddings ? [embeddings.meaning] : [])])

  const shared = {
    now: () => new Date(),
    log,
    publicUrl,
    kept: daysKept(config),
    settings: settingValues(config),
    catalog,
    brokenRows,
    keys,
    site,
    unfound,
    signIn,
    outboundAllowed: config.OUTBOUND_ALLOW_CIDRS,
    outbound: createOutbound({ allowed: config.OUTBOUND_ALLOW_CIDRS }),
    oauthProtocol: createOAuthProtocol(PROTOCOL_SETTINGS),
    pictures: createPictures(),
    pictureStore,
    mirrorsPictures: config.MIRROR_PICTURES === 'on',
    languageModel,
    embeddingModel,
    meaning: embeddings?.meaning ?? null,
    knowledge: createKnowledgeCache(brokenRows),
    answerer: languageModel
      ? createModelAnswerer(languageModel, log, config.LLM_TIMEOUT_SECONDS * 1000)
      : builtInAnswerer,
    readPage: createPageReading(createKeptThreads),
    links: createLinkAccess(config.LINK_CHECKS, createKeptThreads),
    checkLines: createLineChecks(createKeptThreads),
    scratch: () => openScratch(temporaryIn(config.DATA_DIR)),
    snapshots: createSnapshots(store, config.DATA_DIR),
    sandbox: createSandbox(config.SANDBOX_STEP_SECONDS),
    billing: createBilling(openStripe(config), log),
    mailer: openMailer(config.SMTP_URL),
  }
  const queue = createQueue(
    store,
    [
      enrichmentJob((attempt) => attemptContext(context(enricher), attempt), config.ENRICHMENT_RETRY_SECONDS),
      ...afterChanges.flatMap(({ jobs }): readonly Job<never>[] => jobs),
      ...(shared.mailer ? [mailJob(() => context(mailCaller), config.MAIL_FROM)] : []),
    ],
    log,
  )
  const context = createContexts(store, shared, queue, views, checkStarted, (change) =>
    afterChanges.flatMap(({ jobAfter }) => jobAfter(change) ?? []),
  )
  const workers = regularWorkers(context, store.isAlone, outside.billingMs)
  const visits = createVisitCounter(() => context({ ...operator, label: 'visits' }), pepper)
  const query = (statement: string) => store.query(statement)
  const metrics = createMetrics([
    ...databaseMetrics(query),
    ...featureMetrics(query, catalog, brokenRows, embeddings?.meaning),
  ])
  const counts = shareCounts(metrics)
  let closed = false
  const isClosed = () => closed
  const service: Service = {
    publicUrl,
    version: VERSION,
    limiter: withMetrics(redis ?? memory, metrics),
    visitorBudgets: scaled(VISITOR_BUDGETS, config.RATE_LIMIT_SCALE),
    signUpBudgets: scaled(signUpBudgets(config.SIGN_UPS_PER_DAY), config.RATE_LIMIT_SCALE),
    scale: (budgets) => scaled(budgets, config.RATE_LIMIT_SCALE),
    hosts: createHosts(publicUrl, config.ALLOWED_HOSTS),
    trustedProxies: config.TRUST_PROXY,
    log,
    isOperatorToken: createSecretMatcher(config.ADMIN_TOKEN ?? secretInFile(tokenFile)),
    formSecret: derivedSecret(pepper, 'forms'),
    agentsSignIn,
    takesPayments: shared.billing !== null,
    showsStyleguide: config.STYLEGUIDE === 'on',
    sendsMail: shared.mailer !== null,
    context,
    keys,
    site,
    signIn,
    spentSessions: createSpentSessions(),
    usage,
    visits,
    unfound,
    countAnswer: metrics.request,
    metrics: () => metricsOfAll(metrics),
    isStarted: () => isReady,
    isReady: () => !closed && isReady,
    isClosing: isClosed,
    crawlers: createCrawlerCheck({ hostNames: outside.hostNames ?? hostNames, log }),
  }
  const server = createServer(service, failureAnswer(service))
  const described = [discovery(restOperations, config.RATE_LIMIT_SCALE), ...restOperations]
  addOperations(server, service, REST_BASE, described)
  addOpenapi(server, service, { rest: described, operator: operatorOperations }, webhookEvents)
  addOperations(server, service, ADMIN_BASE, operatorOperations)
  addPages(server, service, described, webhookEvents)
  addAccountPages(server, service)
  addDashboard(server, service)
  addConsole(server, service)
  addMedia(server, service)
  addMetrics(server, service)
  addMcp(server, service, restOperations, outside.mcpLibraryPath)
  addOAuth(server, service)
  addBilling(server, service)
  await opened
  return {
    server,
    context,
    adminTokenFile: config.ADMIN_TOKEN ? null : tokenFile,
    async start(seed) {
      await whenReachable(log, isClosed, () =>
        store.alone(async () => {
          const problem = (await applyMigrations(store)) ?? (await pepperProblem(store.db, pepper))
          if (problem) throw new StartError(problem)
          await queue.start()
        }),
      )
      if (closed) return
      // While this thread reads the catalog file. Several processes may renew keys at once: each changes only those that are still old.
      const keysRenewed = whenReachable(log, isClosed, () => renewKeys(store.db))
      keysRenewed.catch(() => {})
      // A worker process serves no requests, so it keeps nothing of the database in memory.
      if (role !== 'worker') views.start()
      await store.listen((change) => {
        if (doesBackgroundWork) for (const worker of [queue, ...workers]) worker.onChange(change)
        void views.apply(change)
      })
      // The database may go away during this load; then the start waits until the load has succeeded.
      while (role !== 'worker' && !closed && !views.isLoaded()) await sleep(50)
      await keysRenewed
      isStarted = !closed
      if (isStarted) await seed?.()
      if (closed) return
      isReady = true
      if (doesBackgroundWork) {
        queue.work()
        for (const worker of workers) worker.start()
        for (const part of afterChanges) await part.start()
      }
      for (const counter of [usage, unfound]) counter.start()
    },
    settled: views.settled,
    async close() {
      closed = true
      for (const timer of timers) clearInterval(timer)
      const stopped = workers.map((worker) => worker.stop())
      await Promise.all([stopServer(server, config.DRAIN_SECONDS * 1000), queue.close(), ...stopped])
      counts.passOn()
      views.close()
      for (const part of afterChanges) part.close()
      for (const counter of [visits, usage, unfound]) await counter.close()
      redis?.close()
      hostNames.close()
      await shared.outbound.close()
      await store.close()
    },
  }
}
