// After many requests of all kinds, no log line and no answer but the one that made it shows a key, the operator token, the pepper or a
// private field.
// @module-tag once
import { readFileSync, statSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { CANARY, FIXTURE } from '../harness/fixture.ts'
import { call, rpc } from '../harness/mcp.ts'
import { request, sendRaw } from '../harness/raw.ts'
import { ADMIN_TOKEN, type RequestOptions, startService } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const PEPPER = 'pepper-of-the-secrets-test-0123456789abcdef'

const answers: { path: string; text: string; headers: string }[] = []
const keys: string[] = []
const webhookSecrets: string[] = []

/** Sends a request and keeps the answer. */
async function ask(path: string, how: RequestOptions = {}) {
  const reply = await service.fetch(path, how)
  answers.push({ path, text: reply.text, headers: JSON.stringify([...reply.headers]) })
  return reply
}
const admin = (method: string, path: string, body?: unknown) =>
  ask(`/api/admin${path}`, { method, key: ADMIN_TOKEN, body })
/** Sends a request whose answer may show the new key or secret, and keeps those. */
async function issue(path: string, body?: unknown) {
  const { data } = (await service.admin('POST', path, body)).body
  if (data.key) keys.push(data.key)
  if (data.webhookSecret) webhookSecrets.push(data.webhookSecret)
  return data
}

const service = useService({ KEY_PEPPER: PEPPER })
beforeAll(async () => {
  await service.load(FIXTURE)
  const reader = await issue('/keys', { email: 'reader@example.com', plan: 'premium' })
  const revoked = await issue('/keys', { email: 'revoked@example.com' })
  const partner = await issue('/partners', { name: 'Partner', support: 'hybrid' })
  await issue(`/partners/${partner.id}/rotate-secret`)
  await admin('DELETE', `/keys/${revoked.id}`)
  const { key } = reader

  for (const held of [key, partner.key, revoked.key, ADMIN_TOKEN, `${key}x`, null])
    for (const path of [
      '/tools?limit=100',
      '/tools/full-house',
      '/tools/red-room',
      '/directories?limit=100',
      '/categories',
    ])
      for (const headers of [{ 'x-api-key': held ?? '' }, { authorization: `Bearer ${held}` }] as Record<
        string,
        string
      >[])
        await ask(`/api/v1${path}`, { headers })
  for (const slug of ['launch-list', 'bare-directory']) await ask(`/api/v1/directories/${slug}`, { key })
  for (const path of ['/keys', '/partners', '/users', '/audit?limit=1000']) await admin('GET', path)
  await admin('PATCH', `/partners/${partner.id}`, { support: 'human' })

  // These requests have keys where no key belongs: in the query, in the path, encoded, in a name, in a body.
  const encoded = [...key].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
  for (const place of [key, encoded, key.replace('a', '%61'), key.replace('_', '%5F'), `x${key}`, `${key}/${key}`])
    for (const path of [
      `/api/v1/tools/${place}`,
      `/api/v1/tools?key=${place}`,
      `/${place}`,
      `/mcp/${place}?k=${place}`,
    ])
      await ask(path, { key })
  await ask('/mcp', { method: 'POST', key, body: call('get_tool', { slug: key }) })
  await ask('/mcp', { method: 'POST', key, body: call('search_tools', { q: key, pricing: key }) })
  await ask('/mcp', { method: 'POST', key, body: `{"jsonrpc": ${key}` })
  await ask('/mcp', { method: 'POST', headers: { authorization: `Bearer ${key}y` }, body: call('list_tags') })
  await rpc(service, key, call('search_tools', { q: CANARY }))
  await admin('POST', '/keys', `{"email": "${key}"`)
  await sendRaw(
    service.origin,
    request('GET', '/api/v1/tools', [`Authorization: Bearer ${key}`, 'Authorization: Bearer x']),
  )
  await sendRaw(service.origin, request('BREW', '/api/v1/tools', [`X-API-Key: ${key}`]))

  // These writes fail, in the database or before it.
  const private_ = { name: 'x', founderEmail: `${CANARY}@private.example` }
  await admin('PUT', '/tools/late', { ...private_, createdAt: '9999-12-31T23:59:59-12:00' })
  await admin('PUT', '/tools/wrong', { ...private_, pricing: 'x', category: 'no-such' })
  await admin('DELETE', '/keys/%00')
})

/** Writes errors with everything in them, as the real log does. */
const logText = () =>
  service.logged
    .map((line) =>
      JSON.stringify(line, (_name, value) =>
        value instanceof Error ? { ...value, message: value.message, stack: value.stack, cause: value.cause } : value,
      ),
    )
    .join('\n')

const randomPart = (key: string) => key.replace(/^aid_(p_)?/, '')

test('the requests of this file gave enough answers and log lines to look through', () => {
  expect(answers.length).toBeGreaterThan(80)
  expect(service.logged.length).toBeGreaterThan(80)
  expect(keys).toHaveLength(3)
  expect(webhookSecrets).toHaveLength(2)
})

const linesWith = (secrets: readonly string[]) =>
  logText()
    .split('\n')
    .filter((line) => secrets.some((secret) => line.includes(secret) || decoded(line).includes(secret)))

test('no log line contains a full key, in any encoding', () => {
  expect(linesWith(keys.map(randomPart))).toEqual([])
})

test('no log line contains the operator token, the pepper, a webhook secret or a private field', () => {
  expect(linesWith([ADMIN_TOKEN, PEPPER, CANARY, ...webhookSecrets])).toEqual([])
})

test('no answer but the one that made it contains a full key', () => {
  for (const { path, text, headers } of answers)
    for (const key of keys) {
      expect(text, path).not.toContain(randomPart(key))
      expect(headers, path).not.toContain(randomPart(key))
    }
})

test('no answer contains the operator token, the pepper, a webhook secret or a stored hash', () => {
  for (const { path, text, headers } of answers)
    for (const secret of [ADMIN_TOKEN, PEPPER, ...webhookSecrets, '"hash"']) {
      expect(text, path).not.toContain(secret)
      expect(headers, path).not.toContain(secret)
    }
})

test('no answer to a reader contains a private field', () => {
  for (const { path, text } of answers) if (!path.startsWith('/api/admin')) expect(text, path).not.toContain(CANARY)
})

test('generated secrets are in files that only their owner may read', async () => {
  const own = await startService({ ADMIN_TOKEN: '' })
  for (const name of ['admin-token', 'key-pepper']) {
    const path = `${own.dataDir}/${name}`
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const secret = readFileSync(path, 'utf8').trim()
    expect(secret.length).toBeGreaterThanOrEqual(32)
    expect(JSON.stringify(own.logged)).not.toContain(secret)
    if (name === 'admin-token') expect((await own.fetch('/api/admin/keys', { key: secret })).status).toBe(200)
  }
  await own.close()
})

function decoded(line: string): string {
  return line.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
}
