// Composition root: builds everything from a configuration and hands features their context. Only main.ts and tests import it.
import { createHmac } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import { LEAST_PASSWORD, MOST_PASSWORD } from './features/accounts/rules.ts'
import { forgetExpired } from './features/accounts/sign-in.ts'
import { credentials, sessions, users, verifications } from './features/accounts/tables.ts'
import { createCatalog } from './features/catalog/snapshot.ts'
import { enricher, enrichmentJob } from './features/enrichment/jobs.ts'
import type { PageFacts } from './features/enrichment/page.rules.ts'
import { createKeyRing } from './features/keys/key-ring.ts'
import { insertPepperFingerprint } from './features/keys/queries.ts'
import { pepperFingerprint, scaled, VISITOR_BUDGETS } from './features/keys/rules.ts'
import { createUsageCounter, forgetOldUsage } from './features/keys/usage.ts'
import { forgetOldVisits } from './features/listings/visits.ts'
import { forgetOldAnswers } from './features/submissions/operations.ts'
import { builtInAnswerer } from './features/support/built-in-answerer.ts'
import { createKnowledgeShelf } from './features/support/knowledge.ts'
import { createModelAnswerer } from './features/support/model-answerer.ts'
import type { Caller } from './kernel/caller.ts'
import type { Context, Log } from './kernel/context.ts'
import { isOutage } from './kernel/errors.ts'
import { operatorOperations, restOperations } from './operations.ts'
import { OPERATOR_TOKEN, PEPPER, PICTURES, temporaryIn } from './platform/data-folder.ts'
import { openEmbedded } from './platform/database-embedded.ts'
import { createContexts, openPostgres, type Store } from './platform/database-postgres.ts'
import { createLanguageModel } from './platform/language-model.ts'
import { createMemoryLimiter } from './platform/limiter-memory.ts'
import { createRedisLimiter } from './platform/limiter-redis.ts'
import { withoutValues } from './platform/log.ts'
import { MIGRATIONS } from './platform/migrations.ts'
import { createOutbound } from './platform/outbound.ts'
import { openBucket, openFolder, type PictureStore, StorePackageMissing } from './platform/picture-store.ts'
import { createPictures } from './platform/pictures.ts'
import { createQueue } from './platform/queue.ts'
import { openScratch } from './platform/scratch.ts'
import { createMatcher, secretInFile } from './platform/secrets.ts'
import { createSignIn } from './platform/sign-in.ts'
import { createSnapshots } from './platform/snapshots.ts'
import { runInThread } from './platform/thread.ts'
import { ADMIN_BASE, REST_BASE } from './surfaces/http/addresses.ts'
import { createServer } from './surfaces/http/server.ts'
import type { Service } from './surfaces/http/service.ts'
import { addMcp } from './surfaces/mcp/routes.ts'
import { addAccountPages } from './surfaces/pages/account/routes.ts'
import { addConsole } from './surfaces/pages/admin/routes.ts'
import { failureAnswer } from './surfaces/pages/answers.ts'
import { addDashboard } from './surfaces/pages/dashboard/routes.ts'
import { addMedia } from './surfaces/pages/media.ts'
import { addPages } from './surfaces/pages/site/routes.ts'
import { discovery } from './surfaces/rest/discovery.ts'
import { addOpenapi } from './surfaces/rest/openapi.ts'
import { addOperations } from './surfaces/rest/routes.ts'
import { createDeliveryWorker } from './surfaces/worker/webhooks.ts'
import { VERSION } from './version.ts'

const MINUTE_MS = 60_000
const CLOSE_REQUESTS_MS = 5_000
const HOUR_MS = 60 * MINUTE_MS
const PAGE_THREAD = new URL('./features/enrichment/read-page-thread.ts', import.meta.url)
// A page of 2 MiB takes a fifth of a second; one that was made to take longer gets no more than this.
const PAGE_THREAD_MS = 5_000

export class StartError extends Error {}

export interface App {
  server: FastifyInstance
  context(caller: Caller): Context
  /** Connects to the database, brings it up to date and loads the catalog; waits for a database that is away. */
  start(): Promise<void>
  /** Resolves when everything announced so far is visible to readers. */
  settled(): Promise<void>
  adminTokenFile: string | null
  close(): Promise<void>
}

export async function createApp(config: Config, givenLog: Log): Promise<App> {
  const log = withoutValues(givenLog)
  const publicUrl = config.PUBLIC_URL ?? `http://localhost:${config.PORT}`
  const adminTokenFile = config.ADMIN_TOKEN ? null : join(config.DATA_DIR, OPERATOR_TOKEN)
  const pictureStore = await openPictureStore(config)
  const store = config.DATABASE_URL
    ? openPostgres({ connectionString: config.DATABASE_URL }, log)
    : await openEmbedded(config.DATA_DIR, log)
  // What a kill -9 left of an import; with PostgreSQL another process may be using it.
  if (!config.DATABASE_URL) rmSync(temporaryIn(config.DATA_DIR), { recursive: true, force: true })
  const pepper = config.KEY_PEPPER ?? secretInFile(join(config.DATA_DIR, PEPPER))
  const memory = createMemoryLimiter()
  const redis = config.REDIS_URL ? createRedisLimiter(config.REDIS_URL, memory, log) : null
  const timers = [
    setInterval(memory.sweep, MINUTE_MS),
    setInterval(() => forgetOldVisits(store.db, new Date()).catch(() => {}), HOUR_MS),
    setInterval(() => forgetOldAnswers(store.db, new Date()).catch(() => {}), HOUR_MS),
    setInterval(() => forgetExpired(store.db, new Date()).catch(() => {}), HOUR_MS),
    setInterval(() => forgetOldUsage(store.db, new Date()).catch(() => {}), HOUR_MS),
  ]
  for (const timer of timers) timer.unref()
  const catalog = createCatalog({ db: store.db, log, publicUrl })
  const keys = createKeyRing({ db: store.db, pepper, scale: config.RATE_LIMIT_SCALE, log })

  const usage = createUsageCounter({ db: store.db, log })
  const signIn = createSignIn({
    db: store.db,
    tables: { user: users, session: sessions, account: credentials, verification: verifications },
    publicUrl,
    secret: derived(pepper, 'sessions'),
    github: config.GITHUB_CLIENT_ID
      ? { clientId: config.GITHUB_CLIENT_ID, clientSecret: config.GITHUB_CLIENT_SECRET! }
      : null,
    passwordLengths: { least: LEAST_PASSWORD, most: MOST_PASSWORD },
    log,
  })
  const outbound = createOutbound({ allowed: config.OUTBOUND_ALLOW_CIDRS })
  const languageModel = config.LLM_BASE_URL
    ? createLanguageModel({ baseUrl: config.LLM_BASE_URL, apiKey: config.LLM_API_KEY, model: config.LLM_MODEL! })
    : null

  const shared = {
    now: () => new Date(),
    log,
    publicUrl,
    catalog,
    keys,
    signIn,
    outboundAllowed: config.OUTBOUND_ALLOW_CIDRS,
    outbound,
    pictures: createPictures(),
    pictureStore,
    languageModel,
    knowledge: createKnowledgeShelf(),
    answerer: languageModel
      ? createModelAnswerer(languageModel, log, config.LLM_TIMEOUT_SECONDS * 1000)
      : builtInAnswerer,
    readPage: (page: object) => runInThread<PageFacts>(PAGE_THREAD, page, PAGE_THREAD_MS),
    scratch: () => openScratch(temporaryIn(config.DATA_DIR)),
    snapshots: createSnapshots(store, config.DATA_DIR),
  }
  const deliveries = createDeliveryWorker({ ...shared, db: store.db })
  const queue = createQueue(store, [enrichmentJob(() => context(enricher), config.ENRICHMENT_RETRY_SECONDS)], log)
  const context = createContexts(store, shared, queue)

  const service: Service = {
    publicUrl,
    version: VERSION,
    limiter: redis ?? memory,
    visitorBudgets: scaled(VISITOR_BUDGETS, config.RATE_LIMIT_SCALE),
    scale: (budgets) => scaled(budgets, config.RATE_LIMIT_SCALE),
    trustedProxies: config.TRUST_PROXY,
    log,
    isOperatorToken: createMatcher(config.ADMIN_TOKEN ?? secretInFile(adminTokenFile!)),
    visitorSecret: pepper,
    formSecret: derived(pepper, 'forms'),
    context,
    keys,
    signIn,
    usage,
    isReady: () => catalog.isReady() && keys.isReady(),
  }
  const server = createServer(service, failureAnswer(service))
  const described = [discovery(VERSION, restOperations), ...restOperations]
  addOperations(server, service, REST_BASE, described)
  addOpenapi(server, service, described)
  addOperations(server, service, ADMIN_BASE, operatorOperations)
  addPages(server, service, described)
  addAccountPages(server, service)
  addDashboard(server, service)
  addConsole(server, service)
  addMedia(server, service)
  addMcp(server, service, restOperations)
  let closed = false

  return {
    server,
    context,
    adminTokenFile,
    async start() {
      await whenReachable(
        log,
        () => closed,
        () =>
          store.alone(async () => {
            await store.migrate(MIGRATIONS)
            await checkPepper(store, pepper)
            await queue.start()
          }),
      )
      if (closed) return
      await store.listen((change) => {
        catalog.hear(change)
        keys.hear(change).catch(() => {})
        deliveries.hear(change)
      })
      await catalog.settled()
      deliveries.start()
      usage.start()
    },
    async settled() {
      await catalog.settled()
    },
    async close() {
      closed = true
      const delivered = deliveries.stop()
      for (const timer of timers) clearInterval(timer)
      catalog.close()
      // A request that will not end must not keep the rest from ending well.
      const cut = setTimeout(() => server.server.closeAllConnections(), CLOSE_REQUESTS_MS)
      await Promise.all([server.close().finally(() => clearTimeout(cut)), queue.close(), delivered])
      await usage.close()
      redis?.close()
      await outbound.close()
      await store.close()
    },
  }
}

/** A secret for one purpose: machines that share the pepper share it, and none can be made of another. */
const derived = (pepper: string, purpose: string): string =>
  createHmac('sha256', pepper).update(purpose).digest('base64url')

async function openPictureStore(config: Config): Promise<PictureStore> {
  if (!config.S3_BUCKET) return openFolder(join(config.DATA_DIR, PICTURES))
  try {
    return await openBucket({
      bucket: config.S3_BUCKET,
      endpoint: config.S3_ENDPOINT,
      region: config.S3_REGION,
      accessKeyId: config.S3_ACCESS_KEY_ID,
      secretAccessKey: config.S3_SECRET_ACCESS_KEY,
    })
  } catch (error) {
    throw error instanceof StorePackageMissing ? new StartError(error.message, { cause: error }) : error
  }
}

/** A database that is away at start is waited for: the service answers 503 until it comes. */
async function whenReachable(log: Log, isClosed: () => boolean, prepare: () => Promise<void>): Promise<void> {
  for (let attempt = 0; !isClosed(); attempt++) {
    try {
      return await prepare()
    } catch (error) {
      if (!isOutage(error)) throw error
      if (attempt % 20 === 0) log.warn({ err: error }, 'the database is not reachable yet; trying again')
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }
}

async function checkPepper(store: Store, pepper: string): Promise<void> {
  const fingerprint = pepperFingerprint(pepper)
  if ((await insertPepperFingerprint(store.db, fingerprint)) !== fingerprint)
    throw new StartError(
      "KEY_PEPPER (or DATA_DIR/key-pepper) is not the one this database's keys were made with. Set KEY_PEPPER to that one.",
    )
}
