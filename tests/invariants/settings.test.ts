// @module-tag once
// Every setting has a sentence in the manual, and a bad value stops the start with one clear line that names the setting.
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig, SETTINGS } from '../../src/config.ts'
import { RETENTION, RETENTION_KINDS } from '../../src/features/retention/rules.ts'

const names = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]
const MANUAL = new URL('../../docs/settings.md', import.meta.url)
const PRIVACY = new URL('../../docs/privacy.md', import.meta.url)

const problemOf = (environment: Record<string, string>): string | undefined => {
  try {
    readConfig(environment)
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message
  }
}

describe('the defaults', () => {
  test('are enough to start: no setting is required', () => {
    expect(readConfig({})).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 3000,
      RATE_LIMIT_SCALE: 1,
      DATABASE_URL: undefined,
    })
    expect(readConfig({})).toMatchObject({ REDIS_URL: undefined, ADMIN_TOKEN: undefined, OUTBOUND_ALLOW_CIDRS: [] })
  })

  test('apply to an empty value, and spaces around a value are ignored', () => {
    const blank = Object.fromEntries(names.map((name) => [name, '  ']))
    expect(readConfig(blank)).toEqual(readConfig({}))
    expect(readConfig({ PORT: ' 8080 ' }).PORT).toBe(8080)
  })

  test('cover every setting of the contract that tests and operators rely on', () => {
    for (const name of ['HOST', 'PORT', 'PUBLIC_URL', 'DATA_DIR', 'DATABASE_URL', 'REDIS_URL', 'ADMIN_TOKEN', 'SEED'])
      expect(names).toContain(name)
    for (const name of ['OUTBOUND_ALLOW_CIDRS', 'RATE_LIMIT_SCALE']) expect(names).toContain(name)
  })
})

const BAD: [keyof typeof SETTINGS, ...string[]][] = [
  ['PORT', 'abc', '-1', '65536', '80.5', '1e3', '0x50'],
  ['PUBLIC_URL', 'catalog.example.com', 'ftp://catalog.example.com', 'https://catalog.example.com/path', 'nonsense'],
  ['PUBLIC_URL', 'https://user:secret@catalog.example.com', 'https://catalog.example.com?x=1'],
  ['DATABASE_URL', 'mysql://localhost/x', 'localhost', 'nonsense'],
  ['REDIS_URL', 'http://localhost', 'localhost:6379'],
  ['ADMIN_TOKEN', 'a', 'fifteen letters', 'a               '],
  ['KEY_PEPPER', 'short'],
  ['ENRICHMENT_RETRY_SECONDS', '0', '1.5', 'x'],
  ['LLM_BASE_URL', 'nonsense', 'ftp://x', 'https://user:secret@models.example.com/v1', 'https://x.example/v1?key=1'],
  ['LLM_TIMEOUT_SECONDS', '0', 'soon', '1.5'],
  ['EMBEDDINGS_URL', 'nonsense', 'ftp://x', 'https://user:secret@models.example.com/v1', 'https://x.example/v1?key=1'],
  ['S3_ENDPOINT', 'nonsense'],
  ['STRIPE_SECRET_KEY', 'pk_test_published', 'sk_', 'nonsense'],
  ['STRIPE_WEBHOOK_SECRET', 'sk_test_secret', 'whsec_'],
  ['STRIPE_PRICE_ID', 'two words', 'price/1'],
  ['STRIPE_PACKAGE_PRICES', 'starter', 'gold:price_1', 'pro:price_1,pro:price_2', 'pro:two words'],
  ['STRIPE_API_URL', 'https://api.stripe.com/v1', 'nonsense'],
  ['SMTP_URL', 'mail.example.com', 'https://mail.example.com', 'mail.example.com:587'],
  ['MAIL_FROM', 'nobody', 'Ada <ada@example.com>', 'a@example.com, b@example.com'],
  ['SEED', 'yes', 'DEMO'],
  ['ALLOWED_HOSTS', 'https://catalog.internal', 'catalog.internal:3000', 'a b/c', '*', '*.example.com', 'user@x'],
  ['SIGN_UPS_PER_DAY', '0', '-1', '1.5', 'many'],
  ['SEARCH_WORDS_PER_DAY', '-1', '1.5', 'many'],
  ['TRUST_PROXY', 'yes', '10.0.0.0/99', '300.0.0.1', 'localhost'],
  ['OUTBOUND_ALLOW_CIDRS', 'all', '10.0.0.0/8, nonsense', '::/129'],
  ['WEB_CONCURRENCY', '0', '65', 'many'],
  ['DRAIN_SECONDS', '-1', '4', '0.5'],
  ['RATE_LIMIT_SCALE', '0', '-1', 'abc', 'Infinity', 'NaN'],
  ['SANDBOX_STEP_SECONDS', '0', '-1', '0.01', '3601', 'soon', 'NaN'],
  ['DATA_DIR', '/proc/catalog/data', '/sys/catalog', '/proc'],
  ['FOUNDERS', 'on', 'maybe'],
  ['LINK_CHECKS', 'sometimes'],
  ['HEALTH_CHECKS', 'sometimes'],
  ['MIRROR_PICTURES', 'sometimes'],
  ['SITE_PICTURES', 'sometimes'],
  ['SEARCH_LEARNING', 'maybe'],
  ['CATALOG_FILE', 'yes'],
  ['OAUTH', 'maybe'],
  ['CONTENT_SIGNAL', 'search=maybe'],
  ['STYLEGUIDE', 'maybe'],
  ...RETENTION_KINDS.map(
    (kind) => [RETENTION[kind].setting, '-1', '1.5', 'x', '36501'] as [keyof typeof SETTINGS, ...string[]],
  ),
  ['KEEP_USAGE_DAYS', '30'],
  ['LOG_LEVEL', 'loud'],
  ['LOG_FORMAT', 'xml'],
]

describe('a bad setting stops the start with one clear line that names it', () => {
  test.each(BAD.flatMap(([name, ...values]) => values.map((value) => [name, value] as const)))(
    'for example %s=%s',
    (name, value) => {
      const problem = problemOf({ [name]: value })
      expect(problem).toMatch(new RegExp(`^${name} must `))
      expect(problem).not.toContain('\n')
    },
  )

  test('and the line shows no secret', () => {
    for (const name of names) {
      if (!SETTINGS[name].secret) continue
      const problem = problemOf({ [name]: 'hunter2' })
      if (problem) expect(problem).not.toContain('hunter2')
    }
    expect(problemOf({ DATABASE_URL: 'mysql://root:hunter2@db/x' })).not.toContain('hunter2')
    for (const name of ['EMBEDDINGS_URL', 'PUBLIC_URL'])
      expect(problemOf({ [name]: 'https://root:hunter2@models.example.com/v1' })).not.toContain('hunter2')
  })

  test('and the line names the language model when only SEARCH_WORDS_PER_DAY is set', () => {
    expect(problemOf({ SEARCH_WORDS_PER_DAY: '5' })).toBe('LLM_BASE_URL must be set when SEARCH_WORDS_PER_DAY is.')
    expect(problemOf({ SEARCH_WORDS_PER_DAY: '0' })).toBeUndefined()
  })

  test.each([
    ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'],
    ['EMBEDDINGS_URL', 'EMBEDDINGS_MODEL'],
  ])('and the line names both settings when only one of %s and %s is set', (one, other) => {
    for (const name of [one, other])
      expect(problemOf({ [name]: 'http://127.0.0.1:1/v1' })).toBe(
        `${one} and ${other} must be set together, or neither.`,
      )
  })

  test('and every other setting accepts any value', () => {
    // A setting that can be refused must be in the table above.
    const tried = new Set(BAD.map(([name]) => name))
    expect(names.filter((name) => !tried.has(name)).sort()).toEqual([
      'EMBEDDINGS_API_KEY',
      'EMBEDDINGS_MODEL',
      'GITHUB_CLIENT_ID',
      'GITHUB_CLIENT_SECRET',
      'HOST',
      'LLM_API_KEY',
      'LLM_MODEL',
      'S3_ACCESS_KEY_ID',
      'S3_BUCKET',
      'S3_REGION',
      'S3_SECRET_ACCESS_KEY',
    ])
  })
})

describe('the documentation of settings', () => {
  test.each(names)('has a sentence for %s', (name) => {
    expect(SETTINGS[name].sentence).toMatch(/^\S.{10,}\.$/)
  })

  const rowOf = (name: (typeof names)[number]) => {
    const { fallback, sentence } = SETTINGS[name]
    const standard = fallback === undefined ? 'unset' : fallback === '' ? 'empty' : `\`${fallback}\``
    return `| \`${name}\` | ${standard} | ${sentence} |`
  }
  const TABLE = /(?<=^\|---\|---\|---\|\n)(?:\|.*\n)+/m

  const keptRowOf = (kind: (typeof RETENTION_KINDS)[number]) => {
    const { setting, days, sentence } = RETENTION[kind]
    return `| \`${setting}\` | ${days} | ${sentence} |`
  }
  const KEPT_TABLE = /(?<=^\| Setting \| Days \| What \|\n\|---\|---\|---\|\n)(?:\|.*\n)*/m

  test.each([
    ['the table of docs/settings.md', MANUAL, TABLE, names.map(rowOf)],
    ['the table of docs/privacy.md', PRIVACY, KEPT_TABLE, RETENTION_KINDS.map(keptRowOf)],
  ])('%s is made from the settings', (_what, file, table, lines) => {
    const rows = `${lines.join('\n')}\n`
    const text = () => readFileSync(file, 'utf8')
    if (process.env.UPDATE_DOCS)
      writeFileSync(
        file,
        text().replace(table, () => rows),
      )
    expect(table.exec(text())?.[0]).toBe(rows)
  })
})
