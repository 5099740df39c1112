// Checks the optional services: Redis, a language model, an embedding model, a bucket for pictures, a mail server.
import type { Config } from '../../config.ts'
import { probeRedis } from '../../platform/limiter/redis-probe.ts'
import { openMailer } from '../../platform/mailer.ts'
import { createEmbeddingModel } from '../../platform/models/embedding-model.ts'
import { createLanguageModel } from '../../platform/models/language-model.ts'
import { modelSettings } from '../../platform/models/model-endpoint.ts'
import { openBucket, StorePackageMissing } from '../../platform/pictures/store.ts'
import { type DoctorFinding, examineClock, findingsAbout, reasonOf } from './finding.ts'
import { metricsOf, originOf } from './network.ts'

// Every call waits for Redis, so it must be fast.
const SLOW_REDIS_MS = 10

export async function examineRedis({ REDIS_URL }: Config): Promise<DoctorFinding[]> {
  const about = findingsAbout('Redis')
  if (!REDIS_URL) return [about.ok('Not set up: rate limits are counted in the process.')]
  const { hostname, port } = new URL(REDIS_URL)
  try {
    const { version, latencyMs, aheadMs, eviction } = await probeRedis(REDIS_URL)
    const says = `Redis${version ? ` ${version}` : ''} answers in ${latencyMs.toFixed(1)} ms.`
    const found = [
      latencyMs > SLOW_REDIS_MS
        ? about.warning(says, 'Every call waits for it: run it nearer to the service.')
        : about.ok(says),
    ]
    if (eviction?.startsWith('allkeys'))
      found.push(
        about.warning(
          `When its memory is full it evicts counters (maxmemory-policy ${eviction}), and limits begin anew.`,
          'Use a Redis of its own with maxmemory-policy noeviction or volatile-ttl.',
        ),
      )
    return [...found, examineClock('Redis', aheadMs)]
  } catch (error) {
    return [
      about.problem(
        `Redis at ${hostname}${port ? `:${port}` : ''} cannot be used: ${reasonOf(error)}.`,
        'Check REDIS_URL, its password, and that it runs. Until then each process counts limits by itself.',
      ),
    ]
  }
}

export async function examineLanguageModel(config: Config): Promise<DoctorFinding[]> {
  const about = findingsAbout('Language model')
  const settings = modelSettings(config.LLM_BASE_URL, config.LLM_API_KEY, config.LLM_MODEL)
  if (!settings) return [about.ok('Not set up: support answers come from the built-in retrieval.')]
  const model = createLanguageModel(settings)
  const begun = performance.now()
  try {
    await model.ask({
      purpose: 'support',
      instructions: 'Answer with the JSON object {"ok": true} and nothing else.',
      material: '{}',
      timeoutMs: config.LLM_TIMEOUT_SECONDS * 1000,
    })
    return [about.ok(`${settings.model} answers in ${((performance.now() - begun) / 1000).toFixed(1)} s.`)]
  } catch (error) {
    const reason = reasonOf(error)
    return [about.problem(`${settings.model} gave no answer. ${reason}`, modelRemedy(reason))]
  }
}

function modelRemedy(reason: string): string {
  if (/\b40[13]\b/.test(reason)) return 'Check LLM_API_KEY.'
  if (/\b404\b/.test(reason)) return 'Check LLM_BASE_URL (it usually ends in /v1) and LLM_MODEL.'
  if (/within \d+/.test(reason)) return 'Raise LLM_TIMEOUT_SECONDS, or use a quicker model.'
  return 'Check LLM_BASE_URL and that it can be reached. Until then the built-in answerer tries, and other questions wait for a person.'
}

// A search waits at most this long for the vector of its question (DEADLINE_MS in features/embeddings/question-vectors.ts).
const LONGEST_QUESTION_MS = 300
const QUESTION_TRIES = 3

export async function examineEmbeddings(config: Config): Promise<DoctorFinding[]> {
  const about = findingsAbout('Embeddings')
  const settings = modelSettings(config.EMBEDDINGS_URL, config.EMBEDDINGS_API_KEY, config.EMBEDDINGS_MODEL)
  if (!settings) return [about.ok('Not set up: search uses words and the small word vectors that come with it.')]
  const model = createEmbeddingModel(settings)
  let ms = Number.POSITIVE_INFINITY
  let dimensions = 0
  try {
    // The fastest of several attempts counts, because the first one may load the model.
    for (let i = 0; i < QUESTION_TRIES; i++) {
      const begun = performance.now()
      const [vector = []] = await model.embed({ texts: ['a tool that takes notes in meetings'], timeoutMs: 15_000 })
      dimensions = vector.length
      ms = Math.min(ms, performance.now() - begun)
    }
  } catch (error) {
    // The message never holds the address of the endpoint; its innermost cause may, so that one only decides what the remedy is.
    const reason = reasonOf(error)
    const message = (error as Error).message.replace(/\.$/, '')
    return [about.problem(`${settings.model} gave no vector: ${message}.`, embeddingRemedy(reason))]
  }
  const says = `${settings.model} gives vectors of ${dimensions} numbers in ${ms.toFixed(0)} ms.`
  return [
    ms > LONGEST_QUESTION_MS
      ? about.warning(
          says,
          `Questions wait ${LONGEST_QUESTION_MS} ms for theirs: most will be answered from words alone. Use a quicker model, or run it nearer.`,
        )
      : about.ok(says),
  ]
}

function embeddingRemedy(reason: string): string {
  if (/\b40[13]\b/.test(reason)) return 'Check EMBEDDINGS_API_KEY.'
  if (/\b404\b/.test(reason)) return 'Check EMBEDDINGS_URL (it usually ends in /v1) and EMBEDDINGS_MODEL.'
  return 'Check EMBEDDINGS_URL and EMBEDDINGS_MODEL, and that it can be reached. Until then search uses words and the small word vectors that come with it.'
}

export async function examineBucket(config: Config): Promise<DoctorFinding[]> {
  const about = findingsAbout('Pictures')
  if (!config.S3_BUCKET) return [about.ok('They are kept in DATA_DIR/media.')]
  try {
    const store = await openBucket({
      bucket: config.S3_BUCKET,
      endpoint: config.S3_ENDPOINT,
      region: config.S3_REGION,
      accessKeyId: config.S3_ACCESS_KEY_ID,
      secretAccessKey: config.S3_SECRET_ACCESS_KEY,
    })
    await store.probe()
    return [about.ok(`The bucket ${config.S3_BUCKET} can be written and read.`)]
  } catch (error) {
    if (error instanceof StorePackageMissing)
      return [about.problem('S3_BUCKET needs two packages that are not installed.', error.remedy)]
    return [
      about.problem(
        `The bucket ${config.S3_BUCKET} cannot be used: ${reasonOf(error)}.`,
        'Check S3_BUCKET, S3_ENDPOINT, S3_REGION and the key, which must be allowed to put, get and delete.',
      ),
    ]
  }
}

const about = findingsAbout('Mail')

export async function examineMail(config: Config, isRunning: boolean): Promise<DoctorFinding[]> {
  const { SMTP_URL } = config
  const mailer = openMailer(SMTP_URL)
  if (!mailer || !SMTP_URL) return [about.ok('Not set up: no mail is sent, and operators hand out links.')]
  const { hostname, port } = new URL(SMTP_URL)
  const server = `${hostname}${port ? `:${port}` : ''}`
  try {
    await mailer.probe()
    const usable = about.ok(`The mail server ${server} can be used.`)
    return [usable, ...(isRunning ? await examineRefused(originOf(config)) : [])]
  } catch (error) {
    return [
      about.problem(
        `The mail server ${server} cannot be used: ${reasonOf(error)}.`,
        'Check SMTP_URL: host, port, user name and password, and smtps:// for a server that is encrypted from the first byte. Until then mails wait and are tried again for some hours.',
      ),
    ]
  }
}

const REFUSED = /^catalog_mails\{kind="([\w-]+)",state="failed"\} (\d+)$/gm

/** Reads what the running service has counted, because signing in to a mail server does not show whether it accepts the sender. */
async function examineRefused(origin: string): Promise<DoctorFinding[]> {
  const refused = [...(await metricsOf(origin)).matchAll(REFUSED)].map(([, kind, count]) => `${kind} ${count}`)
  if (refused.length === 0) return []
  return [
    about.warning(
      `The server refused mails of the last day for good: ${refused.join(', ')}.`,
      'catalog overview says why, and what to do.',
    ),
  ]
}
