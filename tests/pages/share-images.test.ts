// The picture that other sites show with a link to a listing.
// @module-tag slow
import { execFile } from 'node:child_process'
import { renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { createPictures } from '../../src/platform/pictures/pictures.ts'
import { picture } from '../harness/product-site.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(async () => {
  const upload = await fetch(`${service.origin}/api/admin/media?use=icon`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'image/png' },
    body: new Uint8Array(await picture(64, 64, '#ff0000')),
  })
  const icon = ((await upload.json()) as any).data.url
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing & <b>more</b>' },
    { kind: 'category', slug: 'nsfw', name: 'Adult', adult: true },
    { kind: 'directoryCategory', slug: 'startups', name: 'Startups' },
    { kind: 'tool', slug: 'acme', name: 'Acme <script>', tagline: 'Words & "more"', category: 'writing', icon },
    { kind: 'tool', slug: 'adult', name: 'Adult', category: 'nsfw' },
    { kind: 'directory', slug: 'peak', name: 'Peak', smallDescription: 'Up there', categories: ['startups'] },
  ])
})

async function shareOf(path: string): Promise<string | undefined> {
  const { text } = await service.fetch(path, { headers: { accept: 'text/html' } })
  return /<meta property="og:image" content="([^"]+)">/.exec(text)?.[1]
}

test('the head of a listing names a PNG of 1,200 by 630 pixels, which may be kept for a year', async () => {
  for (const path of ['/tools/acme', '/directories/peak']) {
    const address = (await shareOf(path))!
    expect(address).toMatch(new RegExp(`^${service.origin}/share${path}\\.png\\?v=[\\w-]{12}$`))
    const response = await fetch(address)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 1200, height: 630 })
    expect(bytes.length).toBeLessThan(100_000)
    expect(Buffer.from(await (await fetch(address)).arrayBuffer()).equals(bytes)).toBe(true)
  }
})

test('shows the logo, and changes its address with what it says', async () => {
  const before = (await shareOf('/tools/acme'))!
  const pixels = await sharp(Buffer.from(await (await fetch(before)).arrayBuffer()))
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, channels } = pixels.info
  const at = ((72 + 64) * width + (1200 - 72 - 64)) * channels
  expect([...pixels.data.subarray(at, at + 3)]).toEqual([255, 0, 0])
  expect((await service.admin('PUT', '/site', { name: 'Another name' })).status).toBe(200)
  const after = (await shareOf('/tools/acme'))!
  expect(after).not.toBe(before)
  const old = await fetch(before)
  expect([old.status, old.headers.get('cache-control')]).toEqual([200, 'public, max-age=3600'])
})

test('without its logo, because the file cannot be read or is missing, it is kept for a minute only', async () => {
  const shareWithout = async (damage: (file: string) => void) => {
    const { icon } = (await service.rest('/tools/acme')).body.data
    const file = join(service.dataDir, 'media', icon.split('/').at(-1))
    // Another name, so that no image of it is in memory.
    expect((await service.admin('PUT', '/site', { name: `Name ${Math.random()}` })).status).toBe(200)
    renameSync(file, `${file}.aside`)
    damage(file)
    const address = (await shareOf('/tools/acme'))!
    const broken = await fetch(address)
    rmSync(file, { force: true })
    renameSync(`${file}.aside`, file)
    expect([broken.status, broken.headers.get('cache-control'), broken.headers.get('etag')]).toEqual([
      200,
      'public, max-age=60',
      null,
    ])
    const whole = await fetch(address)
    expect(whole.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const [before, after] = await Promise.all([broken.arrayBuffer(), whole.arrayBuffer()])
    expect(Buffer.from(before).equals(Buffer.from(after))).toBe(false)
  }
  // A link to itself cannot be read, which is a fault and not a missing file.
  await shareWithout((file) => symlinkSync(file, file))
  await shareWithout(() => {})
})

test('is a 404 for adult listings, unknown ones and other names', async () => {
  expect(await shareOf('/tools/adult?adult=true')).toBeUndefined()
  for (const path of ['tools/adult.png', 'tools/unknown.png', 'tools/acme', 'tools/acme.svg', 'directories/..%2f.png'])
    expect([path, (await service.fetch(`/share/${path}`)).status]).toEqual([path, 404])
  expect((await service.fetch('/share/tools/acme.png', { method: 'POST' })).status).toBe(405)
})

test('any text can be drawn: markup, long words, other scripts, control characters, none', async () => {
  const { drawShare } = createPictures()
  const texts = [
    '',
    ' ',
    '<b>&amp;</b><',
    'W'.repeat(5_000),
    '写作 مرحبا 👩‍👩‍👧‍👦',
    '\u0000\u202e\ud800\uffff',
    '&#0;&nope;',
  ]
  for (const text of texts) {
    const bytes = await drawShare({ site: text, name: text, text, category: text, colour: '#0a6a51', logo: null })
    expect([text.slice(0, 10), (await sharp(bytes).metadata()).width]).toEqual([text.slice(0, 10), 1200])
  }
})

test('a logo in a format that is not accepted is not opened, also when a share image is the first picture of a process', async () => {
  const program = `
    import { createPictures } from './src/platform/pictures/pictures.ts'
    const logo = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    const card = { site: 'Site', name: 'Name', text: '', category: '', colour: '#0a6a51', logo }
    console.log(await createPictures().drawShare(card).then(() => 'drawn', (error) => error.message))
  `
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  expect(stdout).toMatch(/unsupported image format/)
})
