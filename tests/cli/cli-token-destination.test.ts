// The command line sends the operator token only to an address of the operator's own settings, never to an address from a folder's `.env`
// file.
// @module-tag long
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { selfSigned } from '../harness/certificate.ts'

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname
const NODE_COMPILE_CACHE = join(tmpdir(), 'catalog-test-compile-cache')
const OPERATOR_TOKEN = 'the-operators-own-token-0123456789'
const FOLDER_TOKEN = 'the-token-of-the-folder-0123456789'
const LIST = ['keys', 'list']

/** A server that records the token of each request and answers like an empty service. */
interface Receiver {
  server: Server
  origin: string
  port: number
  tokens: string[]
}

async function startReceiver(): Promise<Receiver> {
  const tokens: string[] = []
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    // The doctor asks without a token whether anything answers.
    if (request.url === '/healthz') return response.end('{"success":true,"data":{"status":"ok"}}')
    tokens.push(request.headers.authorization?.replace('Bearer ', '') ?? '')
    if (request.url?.endsWith('/compare')) return response.end('{"success":true,"data":{"different":[],"unknown":[]}}')
    return response.end('{"success":true,"data":[],"pagination":{"total":0,"limit":20,"offset":0}}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { server, origin: `http://127.0.0.1:${port}`, port, tokens }
}

let folder: string
let outside: string
let foreignServer: Receiver
let ownServer: Receiver
beforeAll(async () => {
  ;[foreignServer, ownServer] = await Promise.all([startReceiver(), startReceiver()])
})
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'catalog-cli-cloned-')))
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'catalog-cli-own-')))
  writeToken(outside, OPERATOR_TOKEN)
  foreignServer.tokens.length = 0
  ownServer.tokens.length = 0
})
afterEach(() => {
  for (const each of [folder, outside]) rmSync(each, { recursive: true, force: true })
})
afterAll(() => {
  for (const { server } of [foreignServer, ownServer]) server.close()
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
    // Ends a service that starts although it must not.
    timeout: 20_000,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE, ...env },
  })
  child.stdin.end()
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, err, status] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  expect(out + err).not.toContain(OPERATOR_TOKEN)
  expect(out + err).not.toContain(FOLDER_TOKEN)
  expect(err).not.toMatch(/^\s+at /m)
  return { status, out, err }
}

/** Expects exit status 1 and one line that names what was refused and what to do. */
async function expectRefused(env: Record<string, string>, ...expected: string[]): Promise<void> {
  const { status, out, err } = await catalog(LIST, env)
  expect([status, out, foreignServer.tokens, ownServer.tokens]).toEqual([1, '', [], []])
  for (const each of ['Refused: nothing was sent.', join(folder, '.env'), '--url', ...expected])
    expect(err).toContain(each)
  expect(err.trim().split('\n')).toHaveLength(1)
}

test('the token of the environment is not sent to an address from a .env file, whichever setting names it', async () => {
  for (const [name, value] of [
    ['CATALOG_URL', foreignServer.origin],
    ['PUBLIC_URL', foreignServer.origin],
    ['PORT', String(foreignServer.port)],
  ] as const) {
    writeEnvFile({ [name]: value })
    await expectRefused({ ADMIN_TOKEN: OPERATOR_TOKEN }, `${foreignServer.origin} is ${name}`, 'from ADMIN_TOKEN')
  }
})

test('the token of the environment is not sent to an address from a .env file that has a token too', async () => {
  writeEnvFile({ CATALOG_URL: foreignServer.origin, ADMIN_TOKEN: FOLDER_TOKEN })
  await expectRefused({ ADMIN_TOKEN: OPERATOR_TOKEN }, 'CATALOG_URL')
})

test('a token file outside the folder is not sent there either, whether the environment, the .env file or a link leads to it', async () => {
  const file = join(outside, 'admin-token')
  writeEnvFile({ CATALOG_URL: foreignServer.origin })
  await expectRefused({ DATA_DIR: outside }, `from ${file}`)
  writeEnvFile({ CATALOG_URL: foreignServer.origin, DATA_DIR: outside })
  await expectRefused({}, `from ${file}`)
  writeEnvFile({ CATALOG_URL: foreignServer.origin })
  symlinkSync(outside, join(folder, 'data'))
  await expectRefused({}, `from ${join(folder, 'data/admin-token')}`)
})

test('the token of a .env file is not sent to an address of the environment', async () => {
  writeEnvFile({ ADMIN_TOKEN: FOLDER_TOKEN })
  await expectRefused({ CATALOG_URL: ownServer.origin }, `${ownServer.origin} is CATALOG_URL in the environment`)
})

test('webhooks listen --forward-to asks no address from a .env file with the token of the environment', async () => {
  writeEnvFile({ CATALOG_URL: foreignServer.origin })
  const command = ['webhooks', 'listen', '--forward-to', 'http://127.0.0.1:9/']
  const { status, err } = await catalog(command, { ADMIN_TOKEN: OPERATOR_TOKEN })
  expect([status, foreignServer.tokens]).toEqual([1, []])
  expect(err).toContain('Refused: nothing was sent.')
})

test('catalog backup beside a running service refuses the same and writes no file', async () => {
  const { lockFolder } = await import('../../src/platform/folder/folder-lock.ts')
  mkdirSync(join(outside, 'database'))
  const unlock = lockFolder(outside)
  try {
    writeEnvFile({ CATALOG_URL: foreignServer.origin })
    const { status, err } = await catalog(['backup', 'copy.tar.gz'], { DATA_DIR: outside })
    expect([status, foreignServer.tokens, existsSync(join(folder, 'copy.tar.gz'))]).toEqual([1, [], false])
    expect(err).toContain('Refused: nothing was sent.')
  } finally {
    unlock()
  }
})

test('a token and an address from one source work together, and so does --url', async () => {
  const sent = async (receiver: Receiver, env: Record<string, string>, ...more: string[]) => {
    const { status, err } = await catalog([...LIST, ...more], env)
    expect([status, err]).toEqual([0, ''])
    return receiver.tokens.pop()
  }
  // The address and the token are both from the file.
  writeEnvFile({ CATALOG_URL: ownServer.origin, ADMIN_TOKEN: FOLDER_TOKEN })
  expect(await sent(ownServer, {})).toBe(FOLDER_TOKEN)
  // The address and the token are both from the environment, which overrides the file.
  writeEnvFile({ CATALOG_URL: foreignServer.origin, ADMIN_TOKEN: FOLDER_TOKEN })
  expect(await sent(ownServer, { CATALOG_URL: ownServer.origin, ADMIN_TOKEN: OPERATOR_TOKEN })).toBe(OPERATOR_TOKEN)
  expect(foreignServer.tokens).toEqual([])
  // The operator has typed the address.
  expect(await sent(ownServer, { ADMIN_TOKEN: OPERATOR_TOKEN }, '--url', ownServer.origin)).toBe(OPERATOR_TOKEN)
  // In the service's own folder, the token and the address are those of the service.
  writeEnvFile({ PORT: String(ownServer.port) })
  writeToken(join(folder, 'data'), FOLDER_TOKEN)
  expect(await sent(ownServer, {})).toBe(FOLDER_TOKEN)
  expect(await sent(ownServer, { CATALOG_URL: ownServer.origin })).toBe(FOLDER_TOKEN)
  writeEnvFile({ PORT: String(ownServer.port), DATA_DIR: './data' })
  expect(await sent(ownServer, {})).toBe(FOLDER_TOKEN)
  // This file sets neither.
  writeEnvFile({ LOG_LEVEL: 'warn' })
  expect(await sent(ownServer, { CATALOG_URL: ownServer.origin, DATA_DIR: outside })).toBe(OPERATOR_TOKEN)
})

test("a .env file cannot turn off the check of the service's certificate", async () => {
  const tokens: string[] = []
  const server = createSecureServer(selfSigned('IP:127.0.0.1'), (request, response) => {
    tokens.push(request.headers.authorization ?? '')
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    writeEnvFile({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { status, err } = await catalog(LIST, { CATALOG_URL: url, ADMIN_TOKEN: OPERATOR_TOKEN })
    expect([status, tokens]).toEqual([1, []])
    expect(err).toContain(`Cannot talk to ${url}: self-signed certificate`)
  } finally {
    server.close()
  }
})

test.each([
  ['LLM_API_KEY', 'LLM_BASE_URL', 'LLM_MODEL'],
  ['EMBEDDINGS_API_KEY', 'EMBEDDINGS_URL', 'EMBEDDINGS_MODEL'],
])('neither the service nor the doctor sends %s to an address of a .env file', async (key, address, model) => {
  const lines = { [address]: foreignServer.origin, [model]: 'any', DATA_DIR: join(folder, 'data') }
  writeEnvFile(lines)
  const [serveResult, doctorResult] = await Promise.all([
    catalog(['serve'], { [key]: OPERATOR_TOKEN }),
    catalog(['doctor'], { [key]: OPERATOR_TOKEN }),
  ])
  const expected = `${key} is set in the environment and is not sent to ${address} of ${join(folder, '.env')}.`
  expect([serveResult.status, doctorResult.status, foreignServer.tokens]).toEqual([1, 1, []])
  expect(serveResult.err).toContain(expected)
  expect(doctorResult.out).toContain(expected)
  // The address and the key are both from the file, so the doctor calls it.
  writeEnvFile({ ...lines, [key]: FOLDER_TOKEN })
  await catalog(['doctor'])
  expect(foreignServer.tokens).toEqual([FOLDER_TOKEN])
})

describe('the doctor', () => {
  /** What it says about the running service, and the tokens that the servers got. */
  async function doctor(lines: Record<string, string>, env: Record<string, string>) {
    writeEnvFile(lines)
    const { out } = await catalog(['doctor', '--json'], env)
    const { findings } = JSON.parse(out) as { findings: { about: string; state: string; says: string }[] }
    const [finding] = findings.filter(({ about }) => about === 'Running service')
    return { finding, tokens: [...foreignServer.tokens.splice(0), ...ownServer.tokens.splice(0)] }
  }
  const foreign = () => ({ HOST: '127.0.0.1', PORT: String(foreignServer.port) })
  const own = () => ({ PORT: String(ownServer.port) })

  test('sends no token and no digest to a HOST and PORT that are not from where the secrets are', async () => {
    const pepper = { KEY_PEPPER: 'a pepper of the environment, long enough' }
    for (const [lines, env, named] of [
      [foreign(), { ADMIN_TOKEN: OPERATOR_TOKEN }, 'ADMIN_TOKEN'],
      [foreign(), { DATA_DIR: outside }, join(outside, 'admin-token')],
      [{ ...foreign(), DATA_DIR: outside }, {}, join(outside, 'admin-token')],
      // The token is that of the file; the digests would be of the operator's own secrets.
      [{ ...foreign(), ADMIN_TOKEN: FOLDER_TOKEN }, pepper, 'KEY_PEPPER'],
      [{ ADMIN_TOKEN: FOLDER_TOKEN }, own(), 'ADMIN_TOKEN'],
    ] as const) {
      const { finding, tokens } = await doctor(lines, env)
      expect([finding?.state, tokens]).toEqual(['warning', []])
      for (const each of [named, join(folder, '.env')]) expect(finding?.says).toContain(each)
    }
  })

  test('compares the settings when address and secrets are from one place', async () => {
    const file = await doctor({ ...own(), ADMIN_TOKEN: FOLDER_TOKEN }, {})
    expect([file.finding?.state, file.tokens]).toEqual(['ok', [FOLDER_TOKEN]])
    const environment = await doctor(foreign(), { ...own(), HOST: '127.0.0.1', ADMIN_TOKEN: OPERATOR_TOKEN })
    expect([environment.finding?.state, environment.tokens]).toEqual(['ok', [OPERATOR_TOKEN]])
  })
})
