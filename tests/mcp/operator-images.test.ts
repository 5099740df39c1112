// {mcp_url}/operator: pictures are addresses, and files (images of the answer) where an agent asks for them.
import { randomBytes } from 'node:crypto'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, modern } from '../harness/mcp.ts'
import { picture } from '../harness/product-site.ts'
import { ADMIN_TOKEN, startService } from '../harness/service.ts'
import { SUBMISSION_CATALOG, submitted } from '../harness/submissions.ts'
import { use } from '../harness/use.ts'

const PATH = '/mcp/operator'
const FOREIGN = 'https://pictures.example.net/shot.png'
const service = use(() => startService())

/** Stores the picture and returns its address. */
async function stored(bytes: Buffer, kind = 'picture'): Promise<string> {
  const response = await fetch(`${service.origin}/api/admin/media?use=${kind}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'image/png' },
    body: new Uint8Array(bytes),
  })
  return ((await response.json()) as any).data.url
}

/** Takes about this many bytes as WebP. */
const noise = (kilobytes: number): Promise<Buffer> => {
  const raw = { width: 1_000, height: Math.round(kilobytes * 1.5), channels: 3 } as const
  return sharp(randomBytes(raw.width * raw.height * 3), { raw })
    .png()
    .toBuffer()
}

const bytesAt = async (address: string) => Buffer.from(await (await fetch(address)).arrayBuffer())

let agent: Client
let partnerKey: string
let work: { id: string; icon: string; frame: string; proof: string }
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  partnerKey = (await service.newPartner()).key
  const [icon, frame, proof] = await Promise.all([
    stored(await picture(64, 64), 'icon'),
    stored(await picture(640, 400, '#993366')),
    stored(await picture(320, 200, '#339966')),
  ])
  const { id, slug } = await submitted(service, partnerKey, { paymentType: 'starter' })
  await service.sql(
    `update tools set icon = '${icon}', frame = '${frame}', screenshots = '["${FOREIGN}"]', tagline = '${frame} ${icon}' where slug = '${slug}'`,
  )
  const row = { isSubmitted: true, listingUrl: 'https://peak.example.org/it', proofUrl: proof }
  await service.admin('PUT', `/submissions/${id}/directories/peak`, row)
  work = { id, icon: icon!, frame: frame!, proof: proof! }
  agent = new Client({ name: 'Scripted Agent', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const requestInit = { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${service.origin}${PATH}`), { requestInit }))
})
afterAll(() => agent?.close())

/** What the tool answers, and the images behind its text. */
async function answerOf(name: string, input: Record<string, unknown>) {
  const result = (await agent.callTool({ name, arguments: input })) as any
  const [text, ...images] = result.content
  expect([text.type, result.isError]).toEqual(['text', undefined])
  return { text: text.text as string, answer: JSON.parse(text.text), images: images as any[] }
}

/** The files are those of the addresses, in their order. */
async function expectFiles(images: any[], addresses: string[]) {
  expect(images.map(({ type, mimeType }) => [type, mimeType])).toEqual(
    addresses.map((address) => ['image', `image/${address.split('.').at(-1)}`]),
  )
  for (const [at, { data }] of images.entries())
    expect(Buffer.from(data, 'base64').equals(await bytesAt(addresses[at]!))).toBe(true)
}

test('the texts for a form have the pictures as addresses, and as files where the agent asks', async () => {
  const { id, icon, frame } = work
  const links = await answerOf('get_submission_kit', { id, slug: 'alpha-board' })
  expect(links.images).toEqual([])
  expect(links.answer.images).toBeUndefined()
  expect(links.answer.data.pictures.map(({ url }: any) => url)).toEqual([icon, frame, FOREIGN])
  const { text, answer, images } = await answerOf('get_submission_kit', { id, slug: 'alpha-board', images: true })
  expect(answer.data).toEqual(links.answer.data)
  expect(answer.images).toEqual([icon, frame])
  expect(answer.notice).toContain('all images were made by others')
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4 * 1024)
  await expectFiles(images, [icon, frame])
})

test('in every revision of the protocol', async () => {
  const called = call('get_submission_kit', { id: work.id, slug: 'alpha-board', images: 'true' })
  const older = await service.fetch(PATH, { method: 'POST', key: ADMIN_TOKEN, body: called })
  const newest = await modern(service, ADMIN_TOKEN, 'tools/call', called.params as any, {}, {}, PATH)
  for (const { body } of [older, newest]) await expectFiles(body.result.content.slice(1), [work.icon, work.frame])
})

test('of the fields that the agent asks for, with the proof of a record', async () => {
  const { id, icon, frame, proof } = work
  const kit = { id, slug: 'peak', images: true }
  await expectFiles((await answerOf('get_submission_kit', { ...kit, fields: 'fields' })).images, [])
  await expectFiles((await answerOf('get_submission_kit', { ...kit, fields: 'directory' })).images, [proof])
  const submission = await answerOf('get_submission', { id, images: true })
  expect(new Set(submission.answer.images)).toEqual(new Set([icon, frame, proof]))
  await expectFiles(submission.images, submission.answer.images)
})

test('at most 640 KB of them: what does not fit stays an address', async () => {
  const addresses = await Promise.all([noise(400), noise(400), picture(20, 20)].map(async (one) => stored(await one)))
  const sizes = await Promise.all(addresses.map(async (address) => (await bytesAt(address)).length))
  expect(sizes[0]! + sizes[1]!).toBeGreaterThan(640 * 1024)
  expect(Math.max(...sizes)).toBeLessThan(600 * 1024)
  const { id, slug } = await submitted(service, partnerKey, { paymentType: 'starter' })
  await service.sql(`update tools set screenshots = '${JSON.stringify(addresses)}' where slug = '${slug}'`)
  const { answer, images } = await answerOf('get_submission_kit', { id, slug: 'peak', images: true })
  expect(answer.data.pictures.map(({ url }: any) => url)).toEqual(addresses)
  expect(answer.images).toEqual([addresses[0], addresses[2]])
  await expectFiles(images, answer.images)
})

test('only tools whose answers name pictures take the argument', async () => {
  const { tools } = await agent.listTools()
  const taking = tools.filter(({ inputSchema }) => 'images' in (inputSchema.properties ?? {}))
  expect(taking.map(({ name }) => name).sort()).toEqual(['get_review', 'get_submission', 'get_submission_kit'])
  const refused = await agent.callTool({ name: 'get_overview', arguments: { images: true } })
  expect(JSON.stringify(refused)).toContain('is not an argument of get_overview')
})
