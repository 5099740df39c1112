// The commands for plans against a real service.
// @module-tag long
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, test } from 'vitest'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { SUBMISSION_CATALOG, submitted } from '../harness/submissions.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { useService } from '../harness/use.ts'

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname
const NODE_COMPILE_CACHE = join(tmpdir(), 'catalog-test-compile-cache')
const folder = temporaryFolder('cli-plan')

let partner: { id: string; key: string }
let slug: string
const service = useService()
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  partner = await service.newPartner({ name: 'Launch Platform' })
  slug = (await submitted(service, partner.key, { paymentType: 'starter' })).slug
})

async function catalog(...args: string[]): Promise<{ status: number | null; out: string; err: string }> {
  const env = { PATH: process.env.PATH, CATALOG_URL: service.origin, ADMIN_TOKEN, NODE_COMPILE_CACHE }
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env })
  child.stdin.end()
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, err, status] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { status, out, err }
}
const json = async (...args: string[]) => JSON.parse((await catalog(...args, '--json')).out)

test('catalog submissions plan, decide and decisions', async () => {
  const { out } = await catalog('submissions', 'plan', slug, '--count', '2', '--left')
  expect(out).toMatch(/^2 of 2 directories\.\nDIRECTORY +SCORE +DR +RECORDED +WHY\npeak +/)
  expect(out).toMatch(/^unrated +fits, but 2 others come first$/m)
  expect((await json('submissions', 'plan', slug)).shortBy).toBe(26)
  const pinned = await catalog('submissions', 'decide', slug, 'unrated', '--pin')
  expect(pinned).toEqual({ status: 0, out: 'Unrated: pinned.\n', err: '' })
  await catalog('submissions', 'decide', slug, 'peak', '--skip', '--reason', 'refused')
  expect((await json('submissions', 'plan', slug)).chosen.map((one: any) => one.slug)).not.toContain('peak')
  expect((await catalog('submissions', 'decide', slug, 'peak', '--withdraw', '--if-version', '7')).err).toContain(
    'never existed',
  )
  expect(await json('submissions', 'decide', slug, 'peak', '--withdraw')).toMatchObject({ decision: null, version: 2 })
  expect((await catalog('submissions', 'decide', slug, 'peak')).err).toContain('give --pin, --skip or --withdraw')
  expect((await catalog('submissions', 'decisions', slug)).out).toMatch(
    /^DIRECTORY +DECISION +REASON +WHEN +VERSION\npeak +- /,
  )
})

test('the limits of plans', async () => {
  const change = ['submissions', 'change', slug]
  expect(await json(...change, '--kind', 'mobile', '--budget', '50', '--badges', 'no')).toMatchObject({
    kind: 'mobile',
    plan: { budget: 50, badges: false },
  })
  expect(await json(...change, '--budget', 'partner', '--badges', 'partner')).toMatchObject({ plan: null })
  expect(await json('partners', 'change', partner.id, '--budget', '20', '--badges', 'no')).toMatchObject({
    plan: { budget: 20, badges: false },
  })
  expect((await catalog('partners', 'change', partner.id, '--budget', 'partner')).err).toContain('must be an amount')
})
