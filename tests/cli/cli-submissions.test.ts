// The command `catalog submissions` against a real service.
// @module-tag long
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { SUBMISSION_CATALOG, statusOf, submitted } from '../harness/submissions.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { useService } from '../harness/use.ts'

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname
const NODE_COMPILE_CACHE = join(tmpdir(), 'catalog-test-compile-cache')
const folder = temporaryFolder('cli-submissions')

let partner: { id: string; key: string }
const service = useService()
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  partner = await service.newPartner({ name: 'Launch Platform' })
})

async function submissions(...args: string[]): Promise<{ status: number | null; out: string; err: string }> {
  const env = { PATH: process.env.PATH, CATALOG_URL: service.origin, ADMIN_TOKEN, NODE_COMPILE_CACHE }
  const child = spawn(process.execPath, [MAIN, 'submissions', ...args], { cwd: folder, env })
  child.stdin.end()
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, err, status] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  expect(out + err).not.toContain(ADMIN_TOKEN)
  expect(err).not.toMatch(/^\s+at /m)
  return { status, out, err }
}
async function succeed(...args: string[]): Promise<string> {
  const result = await submissions(...args)
  expect({ status: result.status, err: result.status === 0 ? '' : result.err }).toEqual({ status: 0, err: '' })
  return result.out
}
const json = async (...args: string[]) => JSON.parse(await succeed(...args, '--json'))
const statusFor = async (slug: string) => (await statusOf(service, partner.key, { slug })).body.data

test('the list of an empty queue says that it is empty', async () => {
  expect(await succeed('list')).toBe('No submissions yet. Partners make them.\n')
})

describe('catalog submissions list', () => {
  test('prints a table or JSON, and filters', async () => {
    const tools = [
      await submitted(service, partner.key, { paymentType: 'starter' }),
      await submitted(service, partner.key),
    ]
    const [table, all, waiting, ofUnknownPartner, page] = await Promise.all([
      succeed('list'),
      json('list'),
      json('list', '--state', 'WAITING', '--client', partner.id),
      succeed('list', '--client', 'nobody'),
      submissions('list', '--limit', '1', '--page', '2'),
    ])
    expect(table).toMatch(/^ID +TOOL +STATE +PACKAGE +ENTERED +ASSIGNEE +PARTNER +MADE +NOTES\n/)
    expect(table).toMatch(
      new RegExp(`^\\S{36} +${tools[0].slug} +IN_QUEUE +starter +0/30 +- +Launch Platform +\\d{4}-`, 'm'),
    )
    expect(table).toMatch(new RegExp(`^\\S{36} +${tools[1].slug} +- +waiting +0/0 +- `, 'm'))
    expect(all.map(({ toolId }: any) => toolId)).toEqual([tools[1].id, tools[0].id])
    expect(waiting).toEqual([all[0]])
    expect(ofUnknownPartner).toBe('No such submissions.\n')
    expect(page.out).toContain(tools[0].slug)
    expect(page.err).toContain('--page 3')
  })
})

describe('the commands for one submission', () => {
  test('change it, record its directories and mark it Done', async () => {
    const { slug } = await submitted(service, partner.key)
    expect(await succeed('change', slug, '--payment-type', 'pro')).toBe(`Changed ${slug}: IN_QUEUE, package pro.\n`)
    const changed = await json(
      'change',
      slug,
      '--state',
      'ASSIGNED',
      '--assignee',
      'op@example.com',
      '--notes',
      'Begun',
    )
    expect(changed).toMatchObject({ state: 'ASSIGNED', assignee: 'op@example.com', notes: 'Begun', paymentType: 'pro' })
    const cleared = await json('change', slug, '--state', 'REVIEW', '--assignee', '')
    expect(cleared).toMatchObject({ state: 'REVIEW', assignee: null })

    const when = ['--submitted-by', 'OWNER', '--submitted-at', '2026-03-01T09:30:00Z']
    const addresses = ['--listing-url', 'https://peak.example.org/x', '--proof-url', 'https://peak.example.org/x.png']
    expect(await json('record', slug, 'peak', '--submitted', ...when, ...addresses)).toMatchObject({
      slug: 'peak',
      isSubmitted: true,
      submittedBy: 'OWNER',
      submittedAt: '2026-03-01T09:30:00.000Z',
      listingUrl: 'https://peak.example.org/x',
      proofUrl: 'https://peak.example.org/x.png',
    })
    expect(await succeed('record', slug, 'unrated', '--not-submitted')).toBe('Recorded Unrated: not submitted.\n')
    expect(await succeed('done', slug, '--notes', 'All entered.')).toBe(`Done: ${slug}, 1 directory entered.\n`)
    expect(await json('done', slug)).toMatchObject({ state: 'DONE', notes: 'All entered.', submittedCount: 1 })
    expect((await statusFor(slug)).summary).toEqual({
      isComplete: true,
      submittedCount: 1,
      recordedSubmissions: 2,
      notes: 'All entered.',
    })
  })
})

describe('errors of catalog submissions', () => {
  test('exit with 2 when the usage is wrong, and with 1 and the sentence of the service otherwise', async () => {
    const { slug } = await submitted(service, partner.key)
    const [usage, failed] = [
      [
        ['change', slug],
        ['change', slug, '--state', 'x'],
        ['record', slug, 'peak'],
        ['record', slug, 'peak', '--submitted', '--not-submitted'],
        ['record', slug],
        ['list', '--state', 'x'],
      ],
      [
        ['change', 'no-such', '--notes', 'x'],
        ['done', slug],
        ['record', slug, 'no-such', '--submitted'],
      ],
    ] as const
    const result = await Promise.all([...usage, ...failed].map((args) => submissions(...args)))
    expect(result.map(({ status, out }) => [status, out])).toEqual([
      ...usage.map(() => [2, '']),
      ...failed.map(() => [1, '']),
    ])
    expect(result[0]!.err).toContain('nothing to change was given')
    expect(result[2]!.err).toContain('give --submitted or --not-submitted')
    const words = ['Submission not found.', 'The package is waiting', 'Directory not found.']
    for (const [i, sentence] of words.entries()) expect(result[usage.length + i]!.err).toContain(sentence)
  })

  test('are avoided by the help, which names every option', async () => {
    const [noun, record] = await Promise.all([submissions('--help'), submissions('record', '--help')])
    for (const name of ['list', 'change', 'record', 'done']) expect(noun.out).toMatch(new RegExp(`^  ${name} `, 'm'))
    for (const name of ['submitted', 'not-submitted', 'listing-url', 'submitted-by', 'submitted-at', 'proof-url'])
      expect(record.out).toContain(`--${name}`)
  })
})

test('catalog submissions bulk changes many and says which were not changed', async () => {
  const tools = []
  for (const name of ['Many one', 'Many two'])
    tools.push(await submitted(service, partner.key, { name, paymentType: 'starter' }))
  const slugs = tools.map(({ slug }) => slug)
  expect(await succeed('bulk', ...slugs, '--assignee', 'op@example.com', '--state', 'ASSIGNED')).toBe(
    '2 of 2 changed.\n',
  )
  expect((await statusFor(slugs[1]!)).submissionState).toBe('ASSIGNED')
  const { status, out } = await submissions('bulk', slugs[0]!, 'no-such', '--state', 'REVIEW')
  expect(status).toBe(1)
  expect(out).toMatch(/^1 of 2 changed\.\nNOT CHANGED +WHY\nno-such +Submission not found/)
})
