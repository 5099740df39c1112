// Opens what the service is built on, as the settings say: database, limits, models, pictures, mail, payments and sign-in.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH, SESSION_DAYS } from '../features/accounts/rules.ts'
import { sessionUserOf } from '../features/accounts/sign-in.ts'
import { credentials, sessions, users, verifications } from '../features/accounts/tables.ts'
import { derivedSecret } from '../features/keys/rules.ts'
import { storeModelCalls } from '../features/model-calls/feature.ts'
import { PROTOCOL_SETTINGS } from '../features/oauth/rules.ts'
import { createBrokenRows } from '../kernel/checks/broken-rows.ts'
import type { Log, SharedContext } from '../kernel/context.ts'
import type { HostNames } from '../kernel/interfaces/outbound.ts'
import { createSignIn } from '../platform/better-auth.ts'
import { beginEmbedded } from '../platform/database/embedded.ts'
import { openPostgres } from '../platform/database/postgres.ts'
import { OPERATOR_TOKEN_FILE, PEPPER_FILE, PICTURES_FOLDER, temporaryIn } from '../platform/folder/data-folder.ts'
import { secretInFile } from '../platform/folder/secrets.ts'
import { createSnapshots, openScratch } from '../platform/folder/temporary.ts'
import { createMemoryLimiter } from '../platform/limiter/memory.ts'
import type { createRedisLimiter } from '../platform/limiter/redis.ts'
import { openMailer } from '../platform/mailer.ts'
import { createEmbeddingModel } from '../platform/models/embedding-model.ts'
import { createLanguageModel } from '../platform/models/language-model.ts'
import { modelSettings } from '../platform/models/model-endpoint.ts'
import { createOAuthProtocol } from '../platform/oauth-protocol.ts'
import { createHostNames } from '../platform/outbound/connect.ts'
import { createOutbound } from '../platform/outbound/outbound.ts'
import { createPictures } from '../platform/pictures/pictures.ts'
import { openPictureStore, StorePackageMissing } from '../platform/pictures/store.ts'
import { openStripe } from '../platform/stripe.ts'

/** An error that the operator can fix; only its message is printed. */
export class StartError extends Error {}

export type Platform = Awaited<ReturnType<typeof openPlatform>>

function asStartError(error: Error): never {
  throw error instanceof StorePackageMissing ? new StartError(error.message, { cause: error }) : error
}

/** `checkStarted` throws until the database may be used. `givenNames` replaces look-ups in DNS. */
export async function openPlatform(
  config: Config,
  log: Log,
  checkStarted: () => void,
  givenNames: Partial<HostNames> = {},
) {
  const { DATA_DIR } = config
  const publicUrl = config.PUBLIC_URL ?? `http://localhost:${config.PORT}`
  const pictureStore = await openPictureStore(config, join(DATA_DIR, PICTURES_FOLDER)).catch(asStartError)
  const { store, opened } = config.DATABASE_URL
    ? { store: openPostgres({ connectionString: config.DATABASE_URL }, log), opened: undefined }
    : beginEmbedded(DATA_DIR, log)
  // An import that was killed leaves files here. With PostgreSQL another process may still use them, so they are kept.
  if (!config.DATABASE_URL) rmSync(temporaryIn(DATA_DIR), { recursive: true, force: true })
  const pepper = config.KEY_PEPPER ?? secretInFile(join(DATA_DIR, PEPPER_FILE))
  const adminTokenFile = config.ADMIN_TOKEN ? null : join(DATA_DIR, OPERATOR_TOKEN_FILE)
  const memory = createMemoryLimiter()
  const redis = config.REDIS_URL ? await openRedisLimiter(config.REDIS_URL, memory, log) : null
  const languageModel = modelSettings(config.LLM_BASE_URL, config.LLM_API_KEY, config.LLM_MODEL)
  const embeddingModel = modelSettings(config.EMBEDDINGS_URL, config.EMBEDDINGS_API_KEY, config.EMBEDDINGS_MODEL)
  const { GITHUB_CLIENT_ID: clientId, GITHUB_CLIENT_SECRET: clientSecret } = config
  const outbound = createOutbound({ allowed: config.OUTBOUND_ALLOW_CIDRS, resolve: givenNames.addressesOf })
  const hostNames = createHostNames()
  const shared: Partial<SharedContext> = {
    now: () => new Date(),
    log,
    publicUrl,
    brokenRows: createBrokenRows(log),
    signIn: createSignIn({
      db: store.db,
      checkStarted,
      tables: { user: users, session: sessions, account: credentials, verification: verifications },
      userOf: sessionUserOf,
      publicUrl,
      secret: derivedSecret(pepper, 'sessions'),
      github: clientId && clientSecret ? { clientId, clientSecret } : null,
      passwordLengths: { least: MIN_PASSWORD_LENGTH, most: MAX_PASSWORD_LENGTH },
      sessionDays: SESSION_DAYS,
      log,
    }),
    outboundAllowed: config.OUTBOUND_ALLOW_CIDRS,
    outbound,
    hostNames: { ...hostNames, ...givenNames },
    limiter: redis ?? memory,
    oauthProtocol: createOAuthProtocol(PROTOCOL_SETTINGS),
    pictures: createPictures(),
    pictureStore,
    languageModel: languageModel && createLanguageModel(languageModel, storeModelCalls(store.db, log)),
    embeddingModel: embeddingModel && createEmbeddingModel(embeddingModel),
    scratch: () => openScratch(temporaryIn(DATA_DIR)),
    snapshots: createSnapshots(store, DATA_DIR),
    mailer: openMailer(config.SMTP_URL),
  }
  return {
    publicUrl,
    store,
    /** Resolves when the embedded database is open. Undefined for PostgreSQL, which `loadAll` waits for. */
    opened,
    pepper,
    adminTokenFile,
    adminToken: config.ADMIN_TOKEN ?? secretInFile(join(DATA_DIR, OPERATOR_TOKEN_FILE)),
    memory,
    redis,
    payments: openStripe(config),
    outbound,
    hostNames,
    /** What operations find in their context; features add the rest. */
    shared,
  }
}

/** Loads the Redis client only when it is used, because it takes memory and time at every start. */
async function openRedisLimiter(...given: Parameters<typeof createRedisLimiter>) {
  const { createRedisLimiter } = await import('../platform/limiter/redis.ts')
  return createRedisLimiter(...given)
}
