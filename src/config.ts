// Declares and reads all settings; no other file reads the environment. Each setting has a reader, a default and one sentence, from which
// the table of docs/settings.md is generated (UPDATE_DOCS=1 with tests/invariants/settings.test.ts).
import { existsSync } from 'node:fs'
import { RETENTION, RETENTION_KINDS, type RetentionKind } from './features/retention/rules.ts'
import { FOUNDER_MODES, LEARNING, PAYMENT_TYPES } from './features/settings/rules.ts'
import { isMisspelling } from './kernel/values/text.ts'
import { combinationProblem, sourceProblem } from './settings/combinations.ts'
import { ENV_FILE, readEnvFile, type Source, sourceOf, type Variables } from './settings/env-file.ts'
import {
  address,
  anyText,
  contentSignal,
  daysOrForGood,
  drainSeconds,
  endpoint,
  folder,
  hostNames,
  identifier,
  identifiersFor,
  mailAddress,
  networks,
  numberFrom,
  oneOfValues,
  onOff,
  origin,
  port,
  positive,
  processes,
  type SettingReader,
  seconds,
  secret,
  startingWith,
  wholeNumber,
} from './settings/readers.ts'

export type { Source } from './settings/env-file.ts'
export { isMixture, sourceOfTokenFile } from './settings/env-file.ts'
export { origin }

interface Setting<T, Fallback extends string | undefined = string | undefined> {
  read: SettingReader<T>
  /** undefined: the setting has no default, and code must handle that it is unset. */
  fallback: Fallback
  sentence: string
  /** Never shown, not even in an error. */
  secret?: boolean
}

const setting = <T, Fallback extends string | undefined>(
  read: SettingReader<T>,
  fallback: Fallback,
  sentence: string,
  { secret = false }: { secret?: boolean } = {},
): Setting<T, Fallback> => ({ read, fallback, sentence, secret })

/** One setting for each kind of row that is deleted after some days, made from the table RETENTION. */
const RETENTION_SETTINGS = Object.fromEntries(
  RETENTION_KINDS.map((kind) => {
    const { setting: name, days, least, sentence } = RETENTION[kind]
    return [name, setting(daysOrForGood(least), String(days), sentence)]
  }),
) as { [Kind in RetentionKind as (typeof RETENTION)[Kind]['setting']]: Setting<number, string> }

export const SETTINGS = {
  HOST: setting(anyText, '127.0.0.1', 'Address to listen on; 0.0.0.0 for every interface.'),
  PORT: setting(port, '3000', 'Port to listen on.'),
  PUBLIC_URL: setting(
    origin,
    undefined,
    'Origin used in every URL that is handed out; http://localhost:PORT when unset.',
  ),
  DATA_DIR: setting(folder, './data', 'Folder of the embedded database, the pictures and the generated secrets.'),
  DATABASE_URL: setting(
    address('postgres', 'postgresql'),
    undefined,
    'PostgreSQL 15 or newer; unset means the embedded database in DATA_DIR.',
    { secret: true },
  ),
  REDIS_URL: setting(
    address('redis', 'rediss'),
    undefined,
    'Shared rate-limit counters; unset means counters in this process.',
    { secret: true },
  ),
  ADMIN_TOKEN: setting(
    secret(16),
    undefined,
    'Operator token, at least 16 characters; unset means one is generated into DATA_DIR/admin-token.',
    { secret: true },
  ),
  KEY_PEPPER: setting(
    secret(32),
    undefined,
    'Server-side secret that API keys are hashed with; unset means one is generated into DATA_DIR/key-pepper. Machines that share a database must share it.',
    { secret: true },
  ),
  SEED: setting(
    oneOfValues('demo', 'none'),
    undefined,
    'demo loads the demo catalog into an empty database and prints working keys once; the default is demo on the embedded database, else none.',
  ),
  GITHUB_CLIENT_ID: setting(
    anyText,
    undefined,
    'Identifier of the GitHub OAuth app that people may sign in with; unset means passwords only. Its callback URL is PUBLIC_URL/sign-in/callback/github.',
  ),
  GITHUB_CLIENT_SECRET: setting(anyText, undefined, 'Secret of that GitHub OAuth app; needed with GITHUB_CLIENT_ID.', {
    secret: true,
  }),
  ALLOWED_HOSTS: setting(
    hostNames,
    '',
    "Further host names that requests may use, comma-separated; PUBLIC_URL's host, localhost and IP addresses need no entry.",
  ),
  SIGN_UPS_PER_DAY: setting(
    wholeNumber(1, 100_000),
    '5',
    'How many accounts one network address may make in a day, with a password or with GitHub.',
  ),
  TRUST_PROXY: setting(networks, '', 'Addresses or networks of reverse proxies whose X-Forwarded-For is believed.'),
  OUTBOUND_ALLOW_CIDRS: setting(
    networks,
    '',
    'Private networks that outbound requests may reach; empty means public addresses only.',
  ),
  FOUNDERS: setting(
    oneOfValues(...FOUNDER_MODES),
    'review',
    'What happens with products that founders send on /submit: review lists them once an administrator has accepted them, open lists them at once unless something is suspicious, off takes none.',
  ),
  ENRICHMENT_RETRY_SECONDS: setting(
    seconds,
    '60',
    'Seconds from a failed fetch of a submitted site to the next attempt; it grows with each of the three further attempts.',
  ),
  LLM_BASE_URL: setting(
    endpoint,
    undefined,
    'OpenAI-compatible address of a language model, such as https://api.example.com/v1; unset means that none is asked.',
  ),
  LLM_API_KEY: setting(anyText, undefined, 'Key for the language model; unset means none is sent.', { secret: true }),
  LLM_MODEL: setting(anyText, undefined, 'Name of the language model; needed with LLM_BASE_URL.'),
  LLM_TIMEOUT_SECONDS: setting(
    seconds,
    '15',
    'How long a question to support waits for the language model, with its second attempt, before the articles alone are searched.',
  ),
  SEARCH_WORDS_PER_DAY: setting(
    wholeNumber(0, 100_000),
    '0',
    'For how many tools a day the language model proposes words under which searches find them, too, see docs/search.md; 0 means none. Needs LLM_BASE_URL.',
  ),
  EMBEDDINGS_URL: setting(
    endpoint,
    undefined,
    "OpenAI-compatible address of an embedding model, such as http://127.0.0.1:11434/v1: the texts of published listings and readers' search questions are sent there, see docs/embeddings.md; unset means that search uses the words and the small word vectors that come with it.",
  ),
  EMBEDDINGS_MODEL: setting(
    anyText,
    undefined,
    'Name of the embedding model; needed with EMBEDDINGS_URL. Another name makes the vectors of all listings anew.',
  ),
  EMBEDDINGS_API_KEY: setting(anyText, undefined, 'Key for the embedding model; unset means none is sent.', {
    secret: true,
  }),
  S3_BUCKET: setting(
    anyText,
    undefined,
    'Bucket for pictures; unset means the folder DATA_DIR/media. Needs two packages that are not installed by default, see docs/enrichment.md.',
  ),
  S3_ENDPOINT: setting(endpoint, undefined, "Address of the bucket's service; unset means Amazon's own."),
  S3_REGION: setting(anyText, 'us-east-1', 'Region of the bucket.'),
  S3_ACCESS_KEY_ID: setting(
    anyText,
    undefined,
    "Access key ID of the bucket; unset means that Amazon's client looks in its usual places.",
  ),
  S3_SECRET_ACCESS_KEY: setting(anyText, undefined, 'The key to the bucket; needed with S3_ACCESS_KEY_ID.', {
    secret: true,
  }),
  STRIPE_SECRET_KEY: setting(
    startingWith('sk_', 'rk_'),
    undefined,
    'Secret or restricted key of the Stripe account that the paid plan is paid to, see docs/billing.md; unset means that there is nothing to pay. It needs the next two.',
    { secret: true },
  ),
  STRIPE_WEBHOOK_SECRET: setting(
    startingWith('whsec_'),
    undefined,
    'Signing secret of the webhook endpoint at Stripe, whose address is PUBLIC_URL/api/stripe/webhook.',
    { secret: true },
  ),
  STRIPE_PRICE_ID: setting(
    identifier,
    undefined,
    'Identifier of the recurring price at Stripe, such as price_1PgafmB7WZ.',
  ),
  STRIPE_PACKAGE_PRICES: setting(
    identifiersFor(...PAYMENT_TYPES),
    undefined,
    'Identifiers of the one-time prices at Stripe for which founders buy packages, such as starter:price_1,pro:price_2,premium:price_3, see docs/founders.md; a package that is left out is not sold. It needs the three settings above.',
  ),
  STRIPE_API_URL: setting(origin, undefined, "Origin of Stripe's API, for tests; unset means Stripe's own."),
  SMTP_URL: setting(
    address('smtp', 'smtps'),
    undefined,
    'Mail server that mails to users are sent through, such as smtps://user:password@mail.example.com, see docs/mail.md; unset means that no mail is sent.',
    { secret: true },
  ),
  MAIL_FROM: setting(
    mailAddress,
    undefined,
    "Sender of these mails; unset means the contact address of the site, or no-reply@ and PUBLIC_URL's host.",
  ),
  LINK_CHECKS: setting(
    onOff,
    'on',
    'Whether the pages of recorded listings are looked at for the link to the product, see docs/proof.md; off stops all such requests.',
  ),
  HEALTH_CHECKS: setting(
    onOff,
    'on',
    'Whether the websites of published tools and directories are looked at every 7 days, see docs/health.md; off stops all such requests.',
  ),
  SEARCH_LEARNING: setting(
    oneOfValues(...LEARNING),
    'on',
    'What is learned from searches, only from five or more different callers and without anything about them (docs/search.md). on: questions that find nothing, or only partial matches, are counted by their words; and a listing that visitors open after a question moves up to two places in its results. unfound: only the former. off: neither.',
  ),
  MIRROR_PICTURES: setting(onOff, 'on', 'Whether listing pictures on other hosts are copied, see docs/enrichment.md.'),
  SITE_PICTURES: setting(
    onOff,
    'on',
    'Whether the websites of listings that name no logo or main picture are asked for them once, see docs/enrichment.md; needs MIRROR_PICTURES.',
  ),
  CATALOG_FILE: setting(
    onOff,
    'on',
    'Whether a catalog of 5,000 listings or more is kept as a file in DATA_DIR, about 2 KB a listing, from which the next start is ready sooner.',
  ),
  OAUTH: setting(
    onOff,
    'on',
    'Whether agents may sign in with OAuth instead of a key, see docs/oauth.md; off removes its addresses and pages, and its tokens stop working.',
  ),
  CONTENT_SIGNAL: setting(
    contentSignal,
    'search=yes, ai-input=yes, ai-train=no',
    'What robots.txt allows programs to do with the pages (contentsignals.org): search, ai-input and ai-train, each yes or no; off leaves the line out.',
  ),
  STYLEGUIDE: setting(onOff, 'off', 'Whether /styleguide shows the components of pages.'),
  SANDBOX_STEP_SECONDS: setting(
    numberFrom(0.05, 3600),
    '2',
    'Seconds from one state of a test submission to the next, and until a test question gets its sample reply; see docs/partners.md.',
  ),
  ...RETENTION_SETTINGS,
  WEB_CONCURRENCY: setting(
    processes,
    '1',
    'How many processes answer on this machine; more than one needs DATABASE_URL, and REDIS_URL for exact limits.',
  ),
  DRAIN_SECONDS: setting(
    drainSeconds,
    '1',
    'Seconds that a stopping process keeps answering while /readyz is 503, so that load balancers notice; 0 cuts off requests on their way.',
  ),
  RATE_LIMIT_SCALE: setting(positive, '1', 'Multiplies every rate limit, for load tests.'),
  LOG_LEVEL: setting(
    oneOfValues('debug', 'info', 'warn', 'error', 'silent'),
    'info',
    'What is logged: each level includes the ones after it.',
  ),
  LOG_FORMAT: setting(
    oneOfValues('auto', 'json', 'text'),
    'auto',
    'Log lines as JSON or as text; auto means text on a terminal.',
  ),
} satisfies Record<string, Setting<unknown>>

type Settings = typeof SETTINGS
type Value<S> = S extends Setting<infer T> ? T : never
type Name = keyof Settings

/** A setting without a default may be undefined. */
export type Config = {
  [N in Name]: Value<Settings[N]> | (Settings[N]['fallback'] extends undefined ? undefined : never)
}

export class ConfigError extends Error {
  /** The settings that are wrong alone or in combination. */
  readonly settings: readonly string[]
  constructor(message: string, settings: readonly string[] = []) {
    super(message)
    this.settings = settings
  }
}

// Matches the user name and password in an address.
const CREDENTIALS = /\/\/[^@\s/]*@/g

export function readConfig(environment: Record<string, string | undefined>): Config {
  const config: Record<string, unknown> = {}
  for (const [name, { read, fallback, secret }] of Object.entries(SETTINGS) as [Name, Setting<unknown>][]) {
    const given = environment[name]?.trim()
    const value = given === undefined || given === '' ? fallback : given
    try {
      config[name] = value === undefined ? undefined : read(value)
    } catch (error) {
      const shown = secret ? '' : ` (it is ${JSON.stringify(given?.replace(CREDENTIALS, '//…@'))})`
      throw new ConfigError(`${name} ${(error as Error).message}${shown}.`, [name])
    }
  }
  const problem = combinationProblem(config as Config)
  if (problem) throw new ConfigError(problem.message, problem.settings)
  return config as Config
}

const sourceIn = (inFile: Variables, name: string): Source => sourceOf(name, process.env, inFile)

/**
 * Refuses addresses of the `.env` file to which a key of the environment would be sent: a folder that was downloaded may have an attacker's
 * `.env`.
 */
function checkSources(inFile: Variables, environment: Variables): void {
  const problem = sourceProblem(environment, (name) => sourceIn(inFile, name))
  if (problem) throw new ConfigError(problem.message, problem.settings)
}

/** Reads a `.env` file in the working folder and the process's environment; the environment wins. */
export function loadConfig(): Config {
  const inFile = readEnvFile()
  // Checks the settings of the file alone, because an address that the environment sets is never refused.
  checkSources(inFile, inFile)
  if (existsSync(ENV_FILE)) process.loadEnvFile(ENV_FILE)
  return readConfig(process.env)
}

export interface Diagnosis {
  /** Wrong settings are treated as unset. */
  config: Config
  problems: string[]
  /** Unknown names that look like misspelt settings. */
  misspelt: { name: string; meant: string }[]
  /** The names of secret settings in the `.env` file. */
  secretsInFile: string[]
  sourceOf(name: string): Source
}

/** Finds every wrong setting: unsets each wrong one that it finds and reads again. (A start of the service stops at the first one.) */
export function diagnoseConfig(): Diagnosis {
  const inFile = readEnvFile()
  const environment: Variables = { ...inFile, ...process.env }
  const names = Object.keys(SETTINGS) as Name[]
  const misspelt = Object.keys(environment).flatMap((name) => {
    const meant = name in SETTINGS ? undefined : names.find((known) => isMisspelling(name, known))
    return meant ? [{ name, meant }] : []
  })
  const secretsInFile = names.filter((name) => (SETTINGS[name] as Setting<unknown>).secret && inFile[name])
  const findings = { misspelt, secretsInFile, sourceOf: (name: string) => sourceIn(inFile, name) }
  for (const problems: string[] = []; ; ) {
    try {
      checkSources(inFile, environment)
      return { config: readConfig(environment), problems, ...findings }
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(error.message)
      for (const name of error.settings) delete environment[name]
    }
  }
}

export interface CommandSettings {
  config: Config
  /** The value set under this name; the name may be one that only the command line reads. */
  given(name: string): string | undefined
  sourceOf(name: string): Source
}

/**
 * Reads the settings for a command that sends requests to a service. Unlike at a start of the service, the lines of `.env` do not enter the
 * process's environment: NODE_TLS_REJECT_UNAUTHORIZED=0 in it would stop Node from checking certificates.
 */
export function readCommandSettings(): CommandSettings {
  const inFile = readEnvFile()
  const environment: Variables = { ...inFile, ...process.env }
  return {
    config: readConfig(environment),
    given: (name) => environment[name]?.trim() || undefined,
    sourceOf: (name) => sourceIn(inFile, name),
  }
}
