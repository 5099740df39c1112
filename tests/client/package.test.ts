// The package as a user gets it: installed into an empty project, compiled under strict TypeScript, run by every Node that is there.
// @module-tag long
import { execFile, spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { beforeAll, describe, expect, test } from 'vitest'
import { eventHeaders } from '../../src/features/webhooks/delivery/signature.rules.ts'
import { hasChromium, launchChromium } from '../harness/chromium.ts'
import { until } from '../harness/process.ts'
import { startReceiver } from '../harness/receiver.ts'
import { freePort } from '../harness/service.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { use } from '../harness/use.ts'
import { startDemo } from '../interop/demo.ts'

const run = promisify(execFile)
const ROOT = new URL('../..', import.meta.url).pathname
const folder = temporaryFolder('client-package')
const packed = join(folder, 'node_modules/@catalog-service/client')
const readme = readFileSync(join(ROOT, 'packages/client/README.md'), 'utf8')
const examples = [...readme.matchAll(/<!-- tested: (\w+) -->\n```ts\n([\s\S]*?)```/g)].map(([, name, code]) => ({
  name: name!,
  code: code!,
}))

let key: string
let partner: { id: string; key: string; webhookSecret: string }
const service = use(() => startDemo({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' }))
beforeAll(async () => {
  await service.load([{ kind: 'tool', slug: 'burrow', name: 'Burrow', website: 'https://burrow.example.com' }])
  key = (await service.newKey()).key
  partner = (await service.newPartner({ support: 'human' })) as typeof partner
  // As the documentation says, from the running service.
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  await run('npm', ['install', '--no-audit', '--no-fund', `${service.origin}/client.tgz`], { cwd: folder })
})

const filesOf = (path: string) => readdirSync(path).sort()

test('npm pack makes the package that the service hands out: without dependencies, the same files', async () => {
  const { stdout } = await run('npm', ['pack', '-w', 'packages/client', '--json', '--pack-destination', folder], {
    cwd: ROOT,
  })
  const [{ files, filename }] = JSON.parse(stdout)
  expect(files.map(({ path }: { path: string }) => path).sort()).toEqual(filesOf(packed))
  const other = join(folder, 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'package.json'), '{ "type": "module", "private": true }')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], { cwd: other })
  for (const name of filesOf(packed))
    expect(readFileSync(join(other, 'node_modules/@catalog-service/client', name), 'utf8'), name).toBe(
      readFileSync(join(packed, name), 'utf8'),
    )
  expect(JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8')).dependencies).toBeUndefined()
})

test.each([
  ['nodenext', ['--module', 'nodenext', '--lib', 'es2022', '--types', 'node']],
  [
    'bundler',
    ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom,dom.iterable', '--types', ''],
  ],
])('right calls compile under strict TypeScript, wrong ones do not: %s', async (_, options) => {
  copyFileSync(join(ROOT, 'tests/client/usage.ts'), join(folder, 'usage.ts'))
  const files = ['usage.ts']
  // The examples read the environment and start a server, for which they need Node's types.
  if (options.includes('node'))
    for (const { name, code } of examples) {
      writeFileSync(join(folder, `${name}.ts`), code)
      files.push(`${name}.ts`)
    }
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck', 'false']
  const args = [
    ...options,
    ...strict,
    '--noEmit',
    '--target',
    'es2022',
    '--typeRoots',
    join(ROOT, 'node_modules/@types'),
  ]
  const output = await run(join(ROOT, 'node_modules/.bin/tsc'), [...args, ...files], { cwd: folder }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
  expect(output).toBe('')
})

test('the bundle is at most 6 KB compressed', async () => {
  const size = gzipSync(await bundle()).length
  console.log(`bundle: ${size} bytes compressed`)
  expect(size).toBeLessThanOrEqual(6 * 1024)
})

async function bundle(): Promise<string> {
  const made = await rolldown({ input: join(packed, 'index.js'), logLevel: 'silent' })
  const { output } = await made.generate({ format: 'esm', minify: true })
  expect(output).toHaveLength(1)
  return output[0].code
}

const needs = () => {
  const body = JSON.stringify({ event: 'test.ping', message: 'Grüße' })
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const headers = eventHeaders({ id: 'msg_1', event: 'test.ping', body, secret, at: new Date(), test: false })
  return { origin: service.origin, key, webhook: { body, headers, secret } }
}
async function expectJourney(outcome: { names: string[] }) {
  const pages = await Promise.all([1, 2].map((page) => service.rest(`/tools?limit=100&page=${page}`)))
  expect(outcome).toEqual({
    names: pages.flatMap(({ body }) => body.data.map(({ name }: { name: string }) => name)),
    tool: 'Burrow',
    counted: true,
    requestId: 'string',
    missing: [404, 'Tool not found.'],
    wrongKey: [true, 401, 'http'],
    aborted: 'aborted',
    event: ['msg_1', 'test.ping'],
    forged: 'signature',
  })
}

// The project's own Node, that of the system, and those that CLIENT_NODES names, with colons between.
const NODES = [process.execPath, '/usr/bin/node', '/usr/local/bin/node', ...(process.env.CLIENT_NODES ?? '').split(':')]

describe('runs a whole journey', () => {
  test.each(NODES.filter((path) => path && existsSync(path)))('in %s', async (node) => {
    const version = (await run(node, ['--version'])).stdout.trim()
    if (Number.parseInt(version.slice(1), 10) < 20) return
    const script = join(ROOT, 'tests/client/run-journey.mjs')
    const { stdout, stderr } = await run(node, [script, join(packed, 'index.js'), JSON.stringify(needs())])
    expect(stderr).toBe('')
    await expectJourney(JSON.parse(stdout))
    console.log(`journey in Node ${version}`)
  })

  test.skipIf(!hasChromium)('in Chromium, in a page of another origin', async () => {
    const code = await bundle()
    const script = readFileSync(join(ROOT, 'tests/client/journey.js'), 'utf8')
    const page = `<!doctype html><script type="module">
      import * as client from '/client.js'
      import { journey } from '/journey.js'
      journey(client, ${JSON.stringify(needs())}).then((outcome) => { window.outcome = outcome }, (error) => { window.outcome = String(error) })
    </script>`
    const text = (type: string, body: string) => (response: { writeHead: any }) =>
      response.writeHead(200, { 'content-type': type }).end(body)
    const site = await startReceiver({
      '/': text('text/html; charset=utf-8', page),
      '/client.js': text('text/javascript', code),
      '/journey.js': text('text/javascript', script),
    })
    const browser = await launchChromium()
    try {
      const tab = await browser.newPage()
      await tab.goto(`${site.origin}/`)
      const outcome = await tab.waitForFunction('window.outcome')
      await expectJourney((await outcome.jsonValue()) as { names: string[] })
    } finally {
      await browser.close()
      await site.close()
    }
  })
})

describe('every example of the README', () => {
  test('is found', () => {
    expect(examples.map(({ name }) => name)).toEqual(['search', 'pages', 'errors', 'submit', 'webhooks'])
  })

  const environment = async () => ({
    PATH: process.env.PATH,
    CATALOG_URL: service.origin,
    CATALOG_KEY: key,
    PARTNER_KEY: partner.key,
    WEBHOOK_SECRET: partner.webhookSecret,
    PORT: String(await freePort()),
  })
  const EXPECTED: Record<string, RegExp> = {
    search: /^\d+ in all$/m,
    pages: /Product Hunt/,
    errors: /^404 Tool not found\. \S+\nnot listed$/m,
    submit: /^IN_QUEUE 0$/m,
  }
  test.each(examples.filter(({ name }) => name in EXPECTED))('runs: $name', async ({ name, code }) => {
    writeFileSync(join(folder, `${name}.ts`), code)
    const { stdout } = await run(process.execPath, [`${name}.ts`], { cwd: folder, env: await environment() })
    expect(stdout).toMatch(EXPECTED[name]!)
  })

  test('runs: webhooks, and receives a test event of the service', async () => {
    const env = await environment()
    writeFileSync(join(folder, 'webhooks.ts'), examples.at(-1)!.code)
    const child = spawn(process.execPath, ['webhooks.ts'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    try {
      const url = `http://127.0.0.1:${env.PORT}/`
      await until(async () => (await fetch(url, { method: 'POST' }).catch(() => null))?.status === 401, 20_000)
      await service.admin('PATCH', `/partners/${partner.id}`, { webhookUrl: url })
      const { body } = await service.admin('POST', `/partners/${partner.id}/test-event`)
      expect([body.data.state, body.data.status]).toEqual(['delivered', 204])
      await until(() => /msg_\S+ test\.ping/.test(output), 5_000)
    } finally {
      child.kill()
    }
  })

  test('webhooks without its secret answers 500 and says why', async () => {
    const { WEBHOOK_SECRET: _, ...env } = await environment()
    const child = spawn(process.execPath, ['webhooks.ts'], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
    let output = ''
    child.stderr.on('data', (chunk) => (output += chunk))
    try {
      const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
      const headers = eventHeaders({ id: 'm', event: 'test.ping', body: '{}', secret, at: new Date(), test: false })
      const send = () => fetch(`http://127.0.0.1:${env.PORT}/`, { method: 'POST', body: '{}', headers })
      await until(async () => (await send().catch(() => null))?.status === 500, 20_000)
      expect(output).toContain('The secret must be the issued text')
    } finally {
      child.kill()
    }
  })
})
