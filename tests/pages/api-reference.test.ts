// @module-tag once
// The API reference: every example runs as it is shown, failures and webhooks are described, and the downloads are valid.
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { restOperations, webhookEvents } from '../../src/features.ts'
import { FAILURES, failureStatuses } from '../../src/surfaces/http/answers/failures.ts'
import { BROWSER, expectSound } from '../harness/html.ts'
import { useService } from '../harness/use.ts'

const run = promisify(execFile)

let keys: { catalog: string; partner: string }
const pages = new Map<string, string>()
const service = useService()
beforeAll(async () => {
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'tag', slug: 'api', name: 'API' },
    { kind: 'directoryCategory', slug: 'saas', name: 'SaaS' },
    {
      kind: 'tool',
      slug: 'acme-writer',
      name: 'Acme Writer',
      website: 'https://other.example.com',
      category: 'writing',
    },
    { kind: 'directory', slug: 'launch-list', name: 'Launch List', website: 'https://launch.example.com' },
  ])
  keys = { catalog: (await service.newKey()).key, partner: (await service.newPartner({ support: 'human' })).key }
  for (const { name } of restOperations) {
    const { status, text } = await service.fetch(`/docs/${name}`, { headers: { accept: BROWSER } })
    expect([name, status]).toEqual([name, 200])
    pages.set(name, text)
  }
})

const plain = (html: string) =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** The example as a reader copies it, with keys that work. */
function shown(operation: string, language: string): string {
  const block = new RegExp(`aria-label="${operation} in ${language}"[^>]*><pre><code>([\\s\\S]*?)</code>`)
  const code = block.exec(pages.get(operation)!)?.[1]
  expect([operation, language, code]).toEqual([operation, language, expect.any(String)])
  return plain(code!).replace('aid_p_YOUR_KEY', keys.partner).replace('aid_YOUR_KEY', keys.catalog)
}

/** Examples name something that a new service does not have: the call is understood, and nothing is found. */
const FINDS_NOTHING = new Set([
  'get_tool_status',
  'get_conversation',
  'resend_webhook_delivery',
  'correct_ai_tool',
  'withdraw_ai_tool',
  'get_directory_health',
])
const isExpected = (operation: string, status: number) =>
  FINDS_NOTHING.has(operation) ? status === 404 : status === 200 || status === 201

describe('the examples', () => {
  test('in curl run as they are shown', async () => {
    for (const { name } of restOperations) {
      const { stdout } = await run('bash', ['-c', `${shown(name, 'curl')} -s -o /dev/null -w '%{http_code}'`])
      expect([name, stdout, isExpected(name, Number(stdout))]).toEqual([name, stdout, true])
    }
  })

  test('in TypeScript run with the typed client', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'catalog-examples-'))
    try {
      mkdirSync(join(folder, 'node_modules/@catalog-service'), { recursive: true })
      const client = new URL('../../packages/client', import.meta.url).pathname
      symlinkSync(client, join(folder, 'node_modules/@catalog-service/client'))
      for (const { name } of restOperations) writeFileSync(join(folder, `${name}.mts`), shown(name, 'TypeScript'))
      const names = restOperations.map(({ name }) => name)
      writeFileSync(
        join(folder, 'all.mjs'),
        `console.log = () => {}
for (const name of ${JSON.stringify(names)})
  process.stdout.write(name + ' ' + (await import('./' + name + '.mts').then(() => 200, (error) => error.status ?? String(error))) + '\\n')`,
      )
      const { stdout } = await run(process.execPath, [join(folder, 'all.mjs')])
      const results = stdout.trim().split('\n')
      expect(results).toHaveLength(names.length)
      for (const line of results) {
        const [name, status] = line.split(' ')
        expect([line, isExpected(name!, Number(status))]).toEqual([line, true])
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test.each([
    ['Python', 'python3', (file: string) => [file]],
    ['PHP', 'php', (file: string) => [file]],
  ])('in %s run where %s is installed', async (language, program, args) => {
    if (!isInstalled(program)) return
    const folder = mkdtempSync(join(tmpdir(), 'catalog-examples-'))
    try {
      for (const name of ['search_tools', 'get_tool', 'submit_ai_tool']) {
        const file = join(folder, name)
        writeFileSync(file, shown(name, language))
        const { stdout } = await run(program, args(file))
        expect(stdout).toMatch(name === 'search_tools' ? /\S/ : /acme-writer/)
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe('the pages', () => {
  test('name every failure of their operation, and each is explained', async () => {
    const errors = (await service.fetch('/docs/errors')).text
    await expectSound(errors)
    for (const operation of restOperations)
      for (const status of failureStatuses(operation, { isLimited: true })) {
        expect(pages.get(operation.name)).toContain(`/docs/errors#status-${status}"`)
        expect(errors).toContain(`id="status-${status}"`)
      }
    expect(errors).not.toContain('undefined')
    for (const { status, error } of FAILURES)
      if (errors.includes(`id="status-${status}"`)) expect(plain(errors)).toContain(error)
  })

  test('lead to every event, and the events are there', async () => {
    const overview = (await service.fetch('/docs')).text
    const webhooks = (await service.fetch('/developers/webhooks')).text
    for (const { name } of webhookEvents) {
      const anchor = name.replaceAll('.', '-')
      expect(overview).toContain(`href="/developers/webhooks#${anchor}"`)
      expect(webhooks).toContain(`id="${anchor}"`)
    }
  })

  test('have a field for the key that no form sends and no browser completes', () => {
    for (const [, text] of pages) {
      const [field] = /<input[^>]*data-key[^>]*>/.exec(text)!
      expect(field).toContain('autocomplete="off"')
      expect(field).not.toMatch(/\sname=/)
    }
  })

  test('are missing for an operation that there is not', async () => {
    for (const name of ['nope', 'constructor', '__proto__', 'search_tools%20'])
      expect([name, (await service.fetch(`/docs/${name}`)).status]).toEqual([name, 404])
  })
})

describe('the Postman collection', () => {
  test('has every address of the OpenAPI document once, with its parameters, its body and its kind of key', async () => {
    const { status, headers, body } = await service.fetch('/docs/catalog.postman_collection.json')
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    expect(body.info.schema).toBe('https://schema.getpostman.com/json/collection/v2.1.0/collection.json')
    expect(body.variable.map(({ key }: any) => key)).toEqual(['baseUrl', 'catalogKey', 'partnerKey'])
    expect(body.variable[0].value).toBe(`${service.origin}/api/v1`)
    const document = (await service.rest('/openapi.json', { key: null })).body
    const expected = Object.entries<any>(document.paths).flatMap(([path, methods]) =>
      Object.entries<any>(methods).map(([method, { parameters = [] }]) => ({
        address: `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
        names: parameters.map(({ name }: any) => name).sort(),
      })),
    )
    const items = body.item.flatMap(({ item }: any) => item)
    const found = items.map(({ request: { method, url, header } }: any) => ({
      address: `${method} /${url.path.join('/')}`,
      names: [...url.query, ...url.variable, ...header]
        .map(({ key }: any) => key)
        .filter((name) => name !== 'Content-Type')
        .sort(),
    }))
    const byAddress = (a: any, b: any) => (a.address < b.address ? -1 : 1)
    expect(found.toSorted(byAddress)).toEqual(expected.toSorted(byAddress))
    const requestOf = (path: string) => items.find(({ request }: any) => request.url.path.join('/') === path).request
    expect(JSON.parse(requestOf('submit-ai-tool').body.raw)).toMatchObject({ name: 'Acme Writer' })
    expect(requestOf('submit-ai-tool').auth.bearer[0].value).toBe('{{partnerKey}}')
    expect(requestOf('tools').auth).toBeUndefined()
    expect(requestOf('openapi.json').auth).toEqual({ type: 'noauth' })
  })
})
