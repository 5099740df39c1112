// The same hostile addresses as in outbound.test.ts, sent in every field where partners and administrators may enter a URL.
// @module-tag slow
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOSTILE_URLS, PRIVATE_HOSTS, WRONG_PORTS } from '../harness/hostile-addresses.ts'
import { type Sentinels, startSentinels } from '../harness/sentinels.ts'
import { startService, type TestService } from '../harness/service.ts'

let sentinels: Sentinels
let service: TestService
let partner: { id: string; key: string }
beforeAll(async () => {
  sentinels = await startSentinels()
  service = await startService()
  partner = await service.newPartner()
  await service.load([{ kind: 'category', slug: 'writing', name: 'Writing' }])
})
afterAll(async () => {
  await service.close()
  await sentinels.close()
  expect(sentinels.arrivals).toBe(0)
})

// A blank text counts as missing.
const hostile = [...PRIVATE_HOSTS.map((host) => `https://${host}/`), ...HOSTILE_URLS].filter((url) => url.trim() !== '')

async function notRefused(urls: readonly string[], send: (url: string) => Promise<{ status: number; text: string }>) {
  const wrong: string[] = []
  for (const url of urls) {
    const { status, text } = await send(url)
    if (status !== 400) wrong.push(`${url}: ${status} ${text.slice(0, 200)}`)
  }
  return wrong
}

const submission = (fields: object) => ({
  name: 'Hostile',
  website: 'https://hostile.example.com',
  tagline: 'A tool',
  description: 'A tool.',
  category: 'writing',
  pricing: 'FREE',
  founderName: 'Eve',
  founderEmail: 'eve@example.com',
  tags: [],
  ...fields,
})
const submit = (fields: object) =>
  service.rest('/submit-ai-tool', { method: 'POST', key: partner.key, body: submission(fields) })

describe('400', () => {
  test('a private webhookUrl: 400', async () => {
    const send = (webhookUrl: string) => service.admin('POST', '/partners', { name: 'Hostile', webhookUrl })
    expect(hostile.length).toBeGreaterThan(180)
    expect(await notRefused([...hostile, ...WRONG_PORTS], send)).toEqual([])
  })

  test('webhookUrl of a changed partner, and plain http', async () => {
    const send = (webhookUrl: string) => service.admin('PATCH', `/partners/${partner.id}`, { webhookUrl })
    const plain = ['http://example.com/', 'http://93.184.215.14/', 'HTTP://hooks.example.com/x']
    expect(await notRefused([...hostile, ...WRONG_PORTS, ...plain], send)).toEqual([])
    const [stored] = (await service.admin('GET', '/partners')).body.data
    expect(stored.webhookUrl).toBeNull()
  })

  test('private URLs of a submission get a 400 that names each field', async () => {
    const wrong: string[] = []
    // A text with NUL is refused before it is read as a URL.
    for (const url of hostile.filter((one) => !one.includes('\0'))) {
      const { status, body } = await submit({
        website: url,
        icon: url,
        frame: url,
        screenshots: ['https://ok.example.com/1.png', url],
      })
      const named = ['website', 'icon', 'frame', 'screenshots.1'].filter((field) =>
        body.error?.includes(`${field} must`),
      )
      if (status !== 400 || named.length !== 4) wrong.push(`${url}: ${status} ${body.error}`)
    }
    expect(wrong).toEqual([])
    expect((await service.admin('GET', '/submissions')).body.data).toEqual([])
  })

  test.each(['website', 'icon', 'frame', 'screenshots'])('one of them alone: %s', async (field) => {
    for (const host of ['127.0.0.1', '[::1]', '0x7f.1', 'localhost', '169.254.169.254']) {
      const url = `http://${host}/`
      const { status, body } = await submit({ [field]: field === 'screenshots' ? [url] : url })
      expect([host, status, body.error]).toEqual([host, 400, expect.stringContaining(`${field}`)])
      expect(body.error).toContain('must be a public address.')
    }
  })
})

test('public URLs are accepted', async () => {
  const urls = [
    'https://hooks.example.com/x?y=1',
    'https://hooks.example.com:443/',
    'https://93.184.215.14/',
    'https://[2606:2800:21f:cb07::1]/',
    'https://bücher.example/',
  ]
  for (const webhookUrl of urls) {
    const { status, body } = await service.admin('PATCH', `/partners/${partner.id}`, { webhookUrl })
    expect([webhookUrl, status]).toEqual([webhookUrl, 200])
    expect(body.data.webhookUrl).toBe(webhookUrl)
  }
})
