import { describe, expect, test } from 'vitest'
import { expectAudited } from '../harness/audit.ts'
import { expectFailure } from '../harness/shapes.ts'
import { useService } from '../harness/use.ts'

const service = useService({ OUTBOUND_ALLOW_CIDRS: '10.77.0.0/16' })

const create = (body: unknown) => service.admin('POST', '/partners', body)
const change = (id: string, body: unknown) => service.admin('PATCH', `/partners/${id}`, body)
const works = async (key: string) => (await service.rest('/tags', { key })).status === 200
const listed = async (id: string) =>
  (await service.admin('GET', '/partners')).body.data.find((partner: { id: string }) => partner.id === id)

const FULL = {
  name: 'Launch Platform',
  contactEmail: 'team@partner.example.com',
  webhookUrl: 'https://partner.example.com/hooks',
  support: 'hybrid',
}

describe('POST /partners', () => {
  test('answers 201 with id, key and webhookSecret', async () => {
    const { status, body } = await create(FULL)
    expect(status).toBe(201)
    expect(body.data).toEqual({
      ...FULL,
      id: expect.any(String),
      key: expect.stringMatching(/^aid_p_/),
      last4: body.data.key.slice(-4),
      webhookSecret: expect.stringMatching(/^whsec_.{20,}/),
      plan: { budget: 0, badges: true },
      events: [],
      banned: false,
      version: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    expect(await works(body.data.key)).toBe(true)
  })

  test('needs only the name, and support is off by default', async () => {
    expect((await create({ name: 'Bare' })).body.data).toMatchObject({
      contactEmail: null,
      webhookUrl: null,
      support: 'off',
    })
  })

  test('answers 400 and names every wrong field', async () => {
    const reply = await create({ contactEmail: 'nonsense', webhookUrl: 'ftp://x', support: 'always' })
    expect(reply.status).toBe(400)
    for (const field of ['name', 'contactEmail', 'webhookUrl', 'support'])
      expect(expectFailure(reply.body)).toContain(field)
  })

  test.each(['', '   ', 5, 'a'.repeat(201)])('answers 400 to the name %j', async (name) => {
    const reply = await create({ name })
    expect(reply.status).toBe(400)
    expect(expectFailure(reply.body)).toContain('name')
  })

  test.each([
    'http://partner.example.com/hooks',
    'https://127.0.0.1/hooks',
    'https://[::1]/hooks',
    'https://10.1.2.3/',
    'https://192.168.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:127.0.0.1]/',
    'https://localhost/',
    'https://printer.local/',
    'https://0x7f000001/',
    'https://user:secret@partner.example.com/',
    'javascript:alert(1)',
    'nonsense',
  ])('refuses a webhookUrl that is not public HTTPS: %s', async (webhookUrl) => {
    const reply = await create({ name: 'Hook', webhookUrl })
    expect(reply.status).toBe(400)
    expect(expectFailure(reply.body)).toContain('webhookUrl')
  })

  test('is audited, without key and secret', async () => {
    let made = { key: '', webhookSecret: '' }
    await expectAudited(service, 'partner.create', /^partner:/, async () => {
      made = (await create(FULL)).body.data
    })
    const { text } = await service.admin('GET', '/audit')
    expect(text).not.toContain(made.key)
    expect(text).not.toContain(made.webhookSecret)
  })
})

describe('GET /partners', () => {
  test('lists the newest first, without key and secret', async () => {
    const first = (await create({ name: 'First' })).body.data
    const second = (await create({ name: 'Second' })).body.data
    const reply = await service.admin('GET', '/partners?limit=2')
    const { key: _key, webhookSecret: _secret, ...shown } = second
    expect(reply.body.data).toEqual([shown, expect.objectContaining({ id: first.id, last4: first.last4 })])
    expect(reply.text).not.toMatch(/aid_p_|whsec_|hash/)
    expect((await service.admin('GET', '/partners?limit=1&page=2')).body.data[0].id).toBe(first.id)
  })
})

describe('PATCH /partners/:id', () => {
  test('changes webhookUrl, support and name, and keeps the fields that are not sent', async () => {
    const { id } = (await create(FULL)).body.data
    const before = await listed(id)
    expect((await change(id, { support: 'human' })).status).toBe(200)
    expect(await listed(id)).toEqual({ ...before, support: 'human', version: 2, updatedAt: expect.any(String) })
    await change(id, { webhookUrl: null, name: 'Renamed' })
    expect(await listed(id)).toMatchObject({
      name: 'Renamed',
      webhookUrl: null,
      support: 'human',
      ...{ banned: false },
    })
  })

  test('with banned stops the key at once, until the ban is lifted', async () => {
    const { id, key } = await service.newPartner()
    await change(id, { banned: true })
    expect(await works(key)).toBe(false)
    await change(id, { banned: false })
    expect(await works(key)).toBe(true)
  })

  test('answers 400, names every wrong field and changes nothing', async () => {
    const { id } = (await create(FULL)).body.data
    const before = await listed(id)
    const reply = await change(id, { name: '', support: 'always', banned: 'yes', webhookUrl: 'https://localhost/' })
    expect(reply.status).toBe(400)
    for (const field of ['name', 'support', 'banned', 'webhookUrl']) expect(expectFailure(reply.body)).toContain(field)
    expect(await listed(id)).toEqual(before)
  })

  test('sets the further events that are sent, each once and in one order; another name is a 400', async () => {
    const { id } = await service.newPartner()
    const wanted = ['listing.lost', 'submission.progress', 'listing.lost']
    const reply = await change(id, { events: wanted })
    expect([reply.status, reply.body.data.events]).toEqual([200, ['submission.progress', 'listing.lost']])
    expect((await listed(id)).events).toEqual(['submission.progress', 'listing.lost'])
    for (const events of [
      ['support.replied'],
      ['test.ping'],
      'submission.progress',
      null,
      [null],
      Array(1000).fill(''),
    ])
      expect(expectFailure((await change(id, { events })).body)).toContain('events')
    expect((await listed(id)).events).toEqual(['submission.progress', 'listing.lost'])
    expect((await change(id, { events: [] })).body.data.events).toEqual([])
  })

  test('the id and secret of a partner cannot be set', async () => {
    const { id } = await service.newPartner()
    await change(id, { id: 'other', webhookSecret: 'mine', createdAt: '2020-01-01' })
    expect(await listed(id)).toMatchObject({ id })
  })

  test('answers 404 for an unknown partner, and is audited', async () => {
    expect((await change('no-such', { name: 'x' })).status).toBe(404)
    const { id } = await service.newPartner()
    await expectAudited(service, 'partner.change', new RegExp(`^partner:${id}$`), () => change(id, { name: 'x' }))
  })
})

describe('POST /partners/:id/rotate-secret', () => {
  test('answers 200 with a new webhookSecret each time, and the key still works', async () => {
    const { id, key, webhookSecret } = (await create(FULL)).body.data
    const secrets = [webhookSecret]
    for (let i = 0; i < 2; i++) {
      const { status, body } = await service.admin('POST', `/partners/${id}/rotate-secret`)
      expect(status).toBe(200)
      expect(Object.keys(body.data)).toEqual(['webhookSecret', 'previousValidUntil'])
      secrets.push(body.data.webhookSecret)
    }
    expect(new Set(secrets).size).toBe(3)
    expect(await works(key)).toBe(true)
  })

  test('answers 404 for an unknown partner, and is audited', async () => {
    expect((await service.admin('POST', '/partners/no-such/rotate-secret')).status).toBe(404)
    const { id } = await service.newPartner()
    await expectAudited(service, 'partner.rotate-secret', new RegExp(`^partner:${id}$`), () =>
      service.admin('POST', `/partners/${id}/rotate-secret`),
    )
  })
})

describe('OUTBOUND_ALLOW_CIDRS', () => {
  test.each(['http://10.77.0.1:9/hooks', 'https://10.77.255.255/'])(
    'allows a private webhookUrl, also over HTTP: %s',
    async (url) => {
      expect((await create({ name: 'Inside', webhookUrl: url })).body.data.webhookUrl).toBe(url)
    },
  )

  test.each(['http://10.78.0.1/', 'https://10.76.255.255/'])(
    'allows no address outside of it: %s',
    async (webhookUrl) => {
      expect((await create({ name: 'Outside', webhookUrl })).status).toBe(400)
    },
  )
})
