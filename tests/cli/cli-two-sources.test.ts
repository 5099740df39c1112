// The operator token goes only where the operator's own settings say: never to an address that a folder's `.env` file brought along.
// @module-tag slow
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { selfSigned } from '../harness/certificate.ts'

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname
const NODE_COMPILE_CACHE = join(tmpdir(), 'catalog-test-compile-cache')
const TOKEN = 'the-operators-own-token-0123456789'
const OTHER = 'the-token-of-the-folder-0123456789'
const LIST = ['keys', 'list']

/** A server that notes the token of each request and answers like an empty service. */
interface Receiver {
  server: Server
  origin: string
  port: number
  tokens: string[]
}

async function receive(): Promise<Receiver> {
  const tokens: string[] = []
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization?.replace('Bearer ', '') ?? '')
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"success":true,"data":[],"pagination":{"total":0,"limit":20,"offset":0}}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { server, origin: `http://127.0.0.1:${port}`, port, tokens }
}

let folder: string
let outside: string
let stranger: Receiver
let own: Receiver
beforeAll(async () => {
  ;[stranger, own] = await Promise.all([receive(), receive()])
})
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'catalog-cli-cloned-')))
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'catalog-cli-own-')))
  writeToken(outside, TOKEN)
  stranger.tokens.length = 0
  own.tokens.length = 0
})
afterEach(() => {
  for (const each of [folder, outside]) rmSync(each, { recursive: true, force: true })
})
afterAll(() => {
  for (const { server } of [stranger, own]) server.close()
})

function writeToken(dataDir: string, token: string): void {
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, 'admin-token'), `${token}\n`, { mode: 0o600 })
}

const writeEnvFile = (lines: Record<string, string>) =>
  writeFileSync(
    join(folder, '.env'),
    Object.entries(lines)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )

async function catalog(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    // A service that starts where it must not is ended.
    timeout: 20_000,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE, ...env },
  })
  child.stdin.end()
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, err, status] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  expect(out + err).not.toContain(TOKEN)
  expect(out + err).not.toContain(OTHER)
  expect(err).not.toMatch(/^\s+at /m)
  return { status, out, err }
}

/** Exit status 1 and one line that names what was refused and what to do. */
async function expectRefused(env: Record<string, string>, ...said: string[]): Promise<void> {
  const { status, out, err } = await catalog(LIST, env)
  expect([status, out, stranger.tokens, own.tokens]).toEqual([1, '', [], []])
  for (const each of ['Refused: nothing was sent.', join(folder, '.env'), '--url', ...said]) expect(err).toContain(each)
  expect(err.trim().split('\n')).toHaveLength(1)
}

test('the token of the environment is not sent to an address from a .env file, by whichever setting', async () => {
  for (const [name, value] of [
    ['CATALOG_URL', stranger.origin],
    ['PUBLIC_URL', stranger.origin],
    ['PORT', String(stranger.port)],
  ] as const) {
    writeEnvFile({ [name]: value })
    await expectRefused({ ADMIN_TOKEN: TOKEN }, `${stranger.origin} is ${name}`, 'from ADMIN_TOKEN')
  }
})

test('nor is it when the .env file brings a token too: the one of the environment wins and stays', async () => {
  writeEnvFile({ CATALOG_URL: stranger.origin, ADMIN_TOKEN: OTHER })
  await expectRefused({ ADMIN_TOKEN: TOKEN }, 'CATALOG_URL')
})

test('nor is a token in a folder outside, that the environment, the .env file or a link leads to', async () => {
  const file = join(outside, 'admin-token')
  writeEnvFile({ CATALOG_URL: stranger.origin })
  await expectRefused({ DATA_DIR: outside }, `from ${file}`)
  writeEnvFile({ CATALOG_URL: stranger.origin, DATA_DIR: outside })
  await expectRefused({}, `from ${file}`)
  writeEnvFile({ CATALOG_URL: stranger.origin })
  symlinkSync(outside, join(folder, 'data'))
  await expectRefused({}, `from ${join(folder, 'data/admin-token')}`)
})

test('a token of the .env file is not sent to an address of the environment', async () => {
  writeEnvFile({ ADMIN_TOKEN: OTHER })
  await expectRefused({ CATALOG_URL: own.origin }, `${own.origin} is CATALOG_URL in the environment`)
})

test('backup beside a running service refuses the same, and writes no file', async () => {
  const { lockFolder } = await import('../../src/platform/folder-lock.ts')
  mkdirSync(join(outside, 'database'))
  const unlock = lockFolder(outside)
  try {
    writeEnvFile({ CATALOG_URL: stranger.origin })
    const { status, err } = await catalog(['backup', 'copy.tar.gz'], { DATA_DIR: outside })
    expect([status, stranger.tokens, existsSync(join(folder, 'copy.tar.gz'))]).toEqual([1, [], false])
    expect(err).toContain('Refused: nothing was sent.')
  } finally {
    unlock()
  }
})

test('from one source, or with --url, everything works as before', async () => {
  const sent = async (receiver: Receiver, env: Record<string, string>, ...more: string[]) => {
    const { status, err } = await catalog([...LIST, ...more], env)
    expect([status, err]).toEqual([0, ''])
    return receiver.tokens.pop()
  }
  // Both of the file.
  writeEnvFile({ CATALOG_URL: own.origin, ADMIN_TOKEN: OTHER })
  expect(await sent(own, {})).toBe(OTHER)
  // Both of the environment, whatever the file says.
  writeEnvFile({ CATALOG_URL: stranger.origin, ADMIN_TOKEN: OTHER })
  expect(await sent(own, { CATALOG_URL: own.origin, ADMIN_TOKEN: TOKEN })).toBe(TOKEN)
  expect(stranger.tokens).toEqual([])
  // The operator has typed the address.
  expect(await sent(own, { ADMIN_TOKEN: TOKEN }, '--url', own.origin)).toBe(TOKEN)
  // A folder that is the service's own: its token, its address.
  writeEnvFile({ PORT: String(own.port) })
  writeToken(join(folder, 'data'), OTHER)
  expect(await sent(own, {})).toBe(OTHER)
  expect(await sent(own, { CATALOG_URL: own.origin })).toBe(OTHER)
  writeEnvFile({ PORT: String(own.port), DATA_DIR: './data' })
  expect(await sent(own, {})).toBe(OTHER)
  // A file that has nothing to do with either.
  writeEnvFile({ LOG_LEVEL: 'warn' })
  expect(await sent(own, { CATALOG_URL: own.origin, DATA_DIR: outside })).toBe(TOKEN)
})

test("a .env file cannot stop the command line from checking a service's certificate", async () => {
  const tokens: string[] = []
  const server = createSecureServer(selfSigned('IP:127.0.0.1'), (request, response) => {
    tokens.push(request.headers.authorization ?? '')
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    writeEnvFile({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { status, err } = await catalog(LIST, { CATALOG_URL: url, ADMIN_TOKEN: TOKEN })
    expect([status, tokens]).toEqual([1, []])
    expect(err).toContain(`Cannot talk to ${url}: self-signed certificate`)
  } finally {
    server.close()
  }
})

test('the key of the language model is not sent to an address of a .env file, by the service or by the doctor', async () => {
  const lines = { LLM_BASE_URL: stranger.origin, LLM_MODEL: 'any', DATA_DIR: join(folder, 'data') }
  writeEnvFile(lines)
  const [served, looked] = await Promise.all([
    catalog(['serve'], { LLM_API_KEY: TOKEN }),
    catalog(['doctor'], { LLM_API_KEY: TOKEN }),
  ])
  const said = `LLM_API_KEY is set in the environment and is not sent to LLM_BASE_URL of ${join(folder, '.env')}.`
  expect([served.status, looked.status, stranger.tokens]).toEqual([1, 1, []])
  expect(served.err).toContain(said)
  expect(looked.out).toContain(said)
  // Both of the file: asked as before.
  writeEnvFile({ ...lines, LLM_API_KEY: OTHER })
  await catalog(['doctor'])
  expect(stranger.tokens).toEqual([OTHER])
})
