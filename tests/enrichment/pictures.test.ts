// Which pictures are accepted, and how they are stored.
// @module-tag slow
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { createPictures } from '../../src/platform/pictures/pictures.ts'
import { openBucket, openFolder } from '../../src/platform/pictures/store.ts'
import { decompressionBomb, ico, picture, SVG } from '../harness/product-site.ts'
import { withDuration } from '../harness/with-duration.ts'

const pictures = createPictures()

async function encoded(bytes: Buffer, use: 'icon' | 'picture' = 'picture') {
  const result = await pictures.encode(bytes, use)
  if ('problem' in result) throw new Error(result.problem)
  return { ...result, meta: await sharp(result.bytes).metadata() }
}
const problemOf = async (bytes: Buffer) => pictures.encode(bytes, 'picture')
const pixel = async (bytes: Buffer, left: number, top: number) => [
  ...(await sharp(bytes).ensureAlpha().extract({ left, top, width: 1, height: 1 }).raw().toBuffer()),
]

describe('an accepted picture', () => {
  test('that is an icon becomes a square PNG of at most 256 pixels, with transparent margins', async () => {
    const { bytes, meta } = await encoded(await picture(800, 400), 'icon')
    expect([meta.format, meta.width, meta.height]).toEqual(['png', 256, 256])
    expect((await pixel(bytes, 128, 2))[3]).toBe(0)
    expect(await pixel(bytes, 128, 128)).toEqual([0x33, 0x66, 0xcc, 255])
    expect((await encoded(await picture(48, 48), 'icon')).meta.width).toBe(48)
  })

  test('that is no icon becomes a WebP of at most 1,600 pixels in width', async () => {
    const { meta } = await encoded(await picture(3200, 1000))
    expect([meta.format, meta.width, meta.height]).toEqual(['webp', 1600, 500])
    expect((await encoded(await picture(300, 200))).meta.width).toBe(300)
  })

  test.each(['jpeg', 'webp', 'gif', 'avif'] as const)('may be %s', async (format) => {
    const bytes = await sharp(await picture(60, 40))
      .toFormat(format)
      .toBuffer()
    expect((await encoded(bytes)).meta).toMatchObject({ format: 'webp', width: 60, height: 40 })
  })

  test('keeps the first frame of an animation', async () => {
    const frames = Buffer.concat([Buffer.alloc(32 * 32 * 3, 10), Buffer.alloc(32 * 32 * 3, 200)])
    const gif = await sharp(frames, { raw: { width: 32, height: 64, channels: 3, pageHeight: 32 } })
      .gif({ delay: [100, 100] })
      .toBuffer()
    expect((await sharp(gif, { animated: true }).metadata()).pages).toBe(2)
    const { meta, bytes } = await encoded(gif)
    expect([meta.height, meta.pages ?? 1]).toEqual([32, 1])
    expect((await pixel(bytes, 1, 1))[0]).toBeLessThan(30)
  })

  test('is turned the right way up and loses its EXIF data', async () => {
    const jpeg = await sharp(await picture(80, 40))
      .withExif({ IFD0: { Artist: 'zqxcanary' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    const { meta, bytes } = await encoded(jpeg)
    expect([meta.width, meta.height, meta.exif, meta.orientation]).toEqual([40, 80, undefined, undefined])
    expect(bytes.includes('zqxcanary')).toBe(false)
  })

  test('may be an icon file with a PNG or a bitmap in it', async () => {
    expect((await encoded(ico(64, await picture(64, 64)), 'icon')).meta.width).toBe(64)
    const { bytes, meta } = await encoded(ico(16, [255, 0, 10, 255]), 'icon')
    expect([meta.width, await pixel(bytes, 3, 3)]).toEqual([16, [255, 0, 10, 255]])
  })
})

describe('a refused picture', () => {
  test('may be SVG, HTML, text, an empty file or another format', async () => {
    const tiff = await sharp(await picture(9, 9))
      .tiff()
      .toBuffer()
    for (const bytes of [SVG, Buffer.from('<!doctype html><title>x</title>'), Buffer.from('hi'), Buffer.alloc(0), tiff])
      expect(await problemOf(bytes)).toEqual({ problem: 'is no PNG, JPEG, WebP, GIF or AVIF picture' })
    await expect(sharp(SVG).metadata()).rejects.toThrow()
  })

  test('a decompression bomb is refused before it is decoded', async () => {
    const bomb = await decompressionBomb()
    const before = process.cpuUsage()
    expect(await problemOf(bomb)).toEqual({ problem: 'has more than 40 million pixels' })
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(1000)
  })

  test('may be a PNG of a hundred thousand pieces, of which each would be a warning', async () => {
    const small = await picture(9, 9)
    const pieces = Array(100_000).fill(Buffer.from('\0\0\0\x01tEXta\0\0\0\0', 'latin1'))
    const bytes = Buffer.concat([small.subarray(0, 33), ...pieces, small.subarray(33)])
    const [found, ms] = await withDuration(() => problemOf(bytes))
    expect(found).toEqual({ problem: 'is a PNG of more than 5000 pieces' })
    expect(ms).toBeLessThan(100)
    // What stands behind the end of a picture are no pieces of it.
    expect(await encoded(Buffer.concat([small, Buffer.alloc(1e6)]), 'picture')).toMatchObject({ meta: { width: 9 } })
  })

  test('may be cut short', async () => {
    const noise = await sharp({
      create: {
        width: 300,
        height: 300,
        channels: 3,
        background: 'red',
        noise: { type: 'gaussian', mean: 128, sigma: 50 },
      },
    })
      .png()
      .toBuffer()
    for (const format of ['png', 'jpeg', 'webp', 'gif'] as const) {
      const whole = await sharp(noise).toFormat(format).toBuffer()
      expect([format, await problemOf(whole.subarray(0, whole.length / 2))]).toEqual([
        format,
        { problem: 'is damaged' },
      ])
    }
  })

  test('may be an icon file that is cut short or has a wrong byte', async () => {
    const good = ico(16, [1, 2, 3, 255])
    for (let length = 0; length < 200; length += 7) {
      const result = await pictures.encode(good.subarray(0, length), 'icon')
      expect(result).toHaveProperty('problem')
    }
    for (let i = 0; i < 62; i++) {
      const broken = Buffer.from(good)
      broken[i] = 0xff
      await pictures.encode(broken, 'icon')
    }
  })
})

describe('the media store', () => {
  test('keeps a picture once under the hash of its content and reads nothing else', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'catalog-media-'))
    const store = openFolder(folder)
    const bytes = await picture(5, 5)
    const name = await store.keep(bytes, 'png')
    expect(name).toMatch(/^[0-9a-f]{40}\.png$/)
    expect(await store.keep(bytes, 'png')).toBe(name)
    expect(await store.read(name)).toEqual(bytes)
    expect(readdirSync(join(folder, 'tmp'))).toEqual([])
    for (const other of ['../admin-token', 'tmp', '', `${'0'.repeat(40)}.png`, `${name}/..`, name.toUpperCase()])
      expect(await store.read(other)).toBeNull()
    rmSync(folder, { recursive: true })
  })

  test('with a bucket but without its packages fails with a sentence that names them', async () => {
    await expect(openBucket({ bucket: 'x', region: 'y' })).rejects.toThrow('npm install @aws-sdk/client-s3')
  })
})
