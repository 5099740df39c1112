// @module-tag once
// The pictures that the demo catalog ships: one mark for each listing, a window for each tool, all of them small.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import sharp from 'sharp'
import { expect, test } from 'vitest'

const SEEDS = new URL('../../seeds/demo/', import.meta.url)
const FOLDER = new URL('pictures/', SEEDS)
const pictures: Record<string, { icon: string; frame?: string }> = JSON.parse(
  readFileSync(new URL('pictures.json', FOLDER), 'utf8'),
)

test('every listing has its own, and no file is left over', () => {
  const keys = ['tools', 'directories'].flatMap((file) =>
    readFileSync(new URL(`${file}.ndjson`, SEEDS), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .map(({ kind, slug }) => `${kind}:${slug}`),
  )
  expect(Object.keys(pictures).sort()).toEqual(keys.sort())
  for (const [key, { icon, frame }] of Object.entries(pictures))
    expect([key, icon, frame ?? '']).toEqual([
      key,
      expect.stringMatching(/^[0-9a-f]{12}\.png$/),
      key.startsWith('tool:') ? expect.stringMatching(/^[0-9a-f]{12}\.webp$/) : '',
    ])
  const named = new Set(Object.values(pictures).flatMap((one) => Object.values(one)))
  expect(
    readdirSync(FOLDER)
      .filter((name) => name !== 'pictures.json')
      .sort(),
  ).toEqual([...named].sort())
})

test('together they have less than 300 KB, and each is a picture in the size in which it is stored', async () => {
  const files = readdirSync(FOLDER)
  expect(files.reduce((sum, name) => sum + statSync(new URL(name, FOLDER)).size, 0)).toBeLessThan(300_000)
  for (const name of files.filter((name) => name !== 'pictures.json')) {
    const { format, width, height } = await sharp(readFileSync(new URL(name, FOLDER))).metadata()
    expect([name, format, width, height]).toEqual(
      name.endsWith('.png') ? [name, 'png', 96, 96] : [name, 'webp', 800, 500],
    )
  }
})
