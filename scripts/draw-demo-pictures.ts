// Draws the pictures of the demo catalog into seeds/demo/pictures: a mark for each tool and directory, and a sketched window for each tool.
// They are made from the slug alone, so the same listing always gets the same ones, and none is like the mark of a firm.
// Run it after a listing was added: node scripts/draw-demo-pictures.ts
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import sharp from 'sharp'

const SEEDS = new URL('../seeds/demo/', import.meta.url)
const FOLDER = new URL('pictures/', SEEDS)

interface Listing {
  kind: string
  slug: string
  category?: string | null
}

const listings = (file: string): Listing[] =>
  readFileSync(new URL(`${file}.ndjson`, SEEDS), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Listing)

/** Numbers from 0 to 1 that depend on the text alone. */
function numbersOf(text: string): () => number {
  let state = [...text].reduce((sum, letter) => (Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0)) | 0, 7)
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}

interface Colours {
  deep: string
  mid: string
  light: string
}

const PALETTES: readonly Colours[] = [
  { deep: '#0a6a51', mid: '#4fb493', light: '#dbf0e6' },
  { deep: '#3b4fc4', mid: '#8797e8', light: '#e6e9fb' },
  { deep: '#a03a62', mid: '#dd86a8', light: '#fae6ee' },
  { deep: '#9a4b0c', mid: '#e69a58', light: '#fcebdb' },
  { deep: '#20617e', mid: '#69b3d2', light: '#deeff7' },
  { deep: '#6a3fa0', mid: '#ad8bdc', light: '#efe7fa' },
  { deep: '#5c6b10', mid: '#b3c64a', light: '#f1f6d4' },
  { deep: '#7c2d2d', mid: '#d98282', light: '#f9e4e2' },
]

const pick = <T>(list: readonly T[], number: number): T => list[Math.floor(number * list.length)] as T

/** Marks on a field of 96 by 96. */
const MARKS: readonly ((colours: Colours, next: () => number) => string)[] = [
  ({ light, mid }) => `<circle cx="48" cy="48" r="24" fill="${light}"/><circle cx="58" cy="40" r="12" fill="${mid}"/>`,
  ({ light, mid }) => `<path d="M24 66 48 24 72 66z" fill="${light}"/><circle cx="48" cy="54" r="8" fill="${mid}"/>`,
  ({ light, mid }) =>
    `<rect x="24" y="24" width="22" height="22" rx="6" fill="${light}"/><rect x="50" y="24" width="22" height="22" rx="11" fill="${mid}"/><rect x="24" y="50" width="22" height="22" rx="11" fill="${mid}"/><rect x="50" y="50" width="22" height="22" rx="6" fill="${light}"/>`,
  ({ light, mid }, next) =>
    [0, 1, 2, 3]
      .map((i) => {
        const height = 16 + Math.round(next() * 32)
        return `<rect x="${24 + i * 13}" y="${72 - height}" width="9" height="${height}" rx="4" fill="${i % 2 ? mid : light}"/>`
      })
      .join(''),
  ({ light, mid }) =>
    `<path d="M24 48a24 24 0 0 1 48 0z" fill="${light}"/><path d="M36 56a12 12 0 0 0 24 0z" fill="${mid}"/>`,
  ({ light, mid }) =>
    `<path d="M26 58c8-24 14-24 22 0s14 24 22 0" fill="none" stroke="${light}" stroke-width="9" stroke-linecap="round"/><circle cx="48" cy="30" r="7" fill="${mid}"/>`,
  ({ light, mid }) =>
    `<rect x="24" y="30" width="48" height="10" rx="5" fill="${light}"/><rect x="24" y="46" width="34" height="10" rx="5" fill="${mid}"/><rect x="24" y="62" width="42" height="10" rx="5" fill="${light}"/>`,
  ({ light, mid }) =>
    `<path d="M48 22c14 0 26 10 26 24S62 70 48 70l-14 8 2-12c-9-4-14-11-14-20 0-14 12-24 26-24z" fill="${light}"/><circle cx="48" cy="46" r="8" fill="${mid}"/>`,
  ({ light, mid }) =>
    `<rect x="30" y="30" width="36" height="36" rx="8" fill="${light}" transform="rotate(45 48 48)"/><circle cx="48" cy="48" r="9" fill="${mid}"/>`,
  ({ light, mid }) =>
    `<circle cx="48" cy="48" r="22" fill="none" stroke="${light}" stroke-width="9"/><path d="M48 26a22 22 0 0 1 22 22" fill="none" stroke="${mid}" stroke-width="9"/>`,
  ({ light, mid }) =>
    `<circle cx="36" cy="38" r="13" fill="${light}"/><circle cx="60" cy="38" r="13" fill="${mid}"/><circle cx="48" cy="60" r="13" fill="${light}"/>`,
  ({ light, mid }) =>
    `<path d="M28 68V48a20 20 0 0 1 40 0v20" fill="none" stroke="${light}" stroke-width="9" stroke-linecap="round"/><circle cx="48" cy="62" r="8" fill="${mid}"/>`,
]

function mark({ kind, slug }: Listing): string {
  const next = numbersOf(`${kind} ${slug}`)
  next()
  const colours = pick(PALETTES, next())
  const drawing = pick(MARKS, next())(colours, next)
  const turn = Math.floor(next() * 4) * 90
  return `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96"><rect width="96" height="96" rx="23" fill="${colours.deep}"/><g transform="rotate(${turn} 48 48)">${drawing}</g></svg>`
}

type Content = (colours: Colours, next: () => number) => string
const rows = (count: number, draw: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => draw(i)).join('')
const bar = (x: number, y: number, width: number, fill: string, height = 8): string =>
  `<rect x="${x}" y="${y}" width="${Math.round(width)}" height="${height}" rx="${Math.min(height / 2, 8)}" fill="${fill}"/>`

/** What the window shows, on a field from 130 to 440 and from 80 to 260. */
const CONTENTS: Readonly<Record<string, Content>> = {
  text: ({ deep, mid, light }, next) =>
    bar(140, 92, 150, deep, 14) + rows(6, (i) => bar(140, 122 + i * 20, 160 + next() * 110, i === 2 ? mid : light)),
  pictures: ({ mid, light, deep }, next) =>
    rows(6, (i) => {
      const [x, y] = [140 + (i % 3) * 100, 92 + Math.floor(i / 3) * 82]
      return `<rect x="${x}" y="${y}" width="88" height="70" rx="8" fill="${light}"/><circle cx="${x + 24 + Math.round(next() * 40)}" cy="${y + 26}" r="12" fill="${mid}"/><path d="M${x} ${y + 62}l28-24 20 16 18-12 22 20v0a8 8 0 0 1-8 8H${x + 8}a8 8 0 0 1-8-8z" fill="${deep}"/>`
    }),
  wave: ({ mid, deep, light }, next) =>
    rows(24, (i) => {
      const height = 12 + Math.round(next() * 90)
      return bar(142 + i * 12, 160 - height / 2, 7, i < 9 ? deep : mid, height)
    }) + bar(140, 236, 290, light, 6),
  chat: ({ mid, deep, light }, next) =>
    rows(4, (i) => bar(i % 2 ? 240 : 140, 92 + i * 42, 130 + next() * 60, i % 2 ? deep : i === 2 ? mid : light, 30)),
  chart: ({ mid, deep, light }, next) =>
    bar(140, 92, 90, deep, 12) +
    rows(8, (i) => {
      const height = 24 + Math.round(next() * 96)
      return bar(146 + i * 36, 246 - height, 22, i % 3 === 1 ? deep : mid, height)
    }) +
    bar(140, 250, 292, light, 4),
  code: ({ mid, deep, light }, next) =>
    rows(8, (i) => {
      const indent = [0, 20, 40, 40, 20, 20, 40, 0][i] as number
      const first = 40 + Math.round(next() * 50)
      return (
        bar(140 + indent, 92 + i * 20, first, i % 3 ? mid : deep) +
        bar(150 + indent + first, 92 + i * 20, 40 + next() * 70, light)
      )
    }),
  flow: ({ mid, deep, light }) =>
    `<path d="M190 130h60v60h70M250 160h-30" fill="none" stroke="${light}" stroke-width="6"/>${bar(140, 110, 70, deep, 40)}${bar(220, 170, 80, mid, 40)}${bar(330, 110, 80, mid, 40)}${bar(330, 190, 80, deep, 40)}`,
  cards: ({ mid, deep, light }, next) =>
    rows(
      3,
      (i) =>
        `${bar(140 + i * 100, 92, 88, light, 150)}${bar(150 + i * 100, 106, 40 + next() * 26, deep)}${bar(150 + i * 100, 126, 64, mid)}${bar(150 + i * 100, 142, 50, mid)}`,
    ),
}

const LAYOUTS: Readonly<Record<string, string>> = {
  writing: 'text',
  research: 'text',
  education: 'cards',
  image: 'pictures',
  design: 'pictures',
  video: 'pictures',
  audio: 'wave',
  chatbots: 'chat',
  'customer-support': 'chat',
  code: 'code',
  data: 'chart',
  business: 'chart',
  marketing: 'chart',
  automation: 'flow',
  productivity: 'cards',
}

/** Tools with the same layout and colours share a window, so that all are small together. */
function window({ kind, slug, category }: Listing): string {
  const ofListing = numbersOf(`${kind} ${slug}`)
  ofListing()
  const colours = pick(PALETTES, ofListing())
  const layout = LAYOUTS[category ?? ''] ?? 'text'
  const next = numbersOf(`${layout} ${colours.deep}`)
  const content = (CONTENTS[layout] as Content)(colours, next)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="500" viewBox="0 0 480 300"><rect width="480" height="300" fill="${colours.light}"/><rect x="28" y="32" width="424" height="300" rx="14" fill="#fff"/><path d="M28 46a14 14 0 0 1 14-14h396a14 14 0 0 1 14 14v18H28z" fill="${colours.deep}"/><circle cx="48" cy="48" r="5" fill="${colours.mid}"/><circle cx="64" cy="48" r="5" fill="${colours.mid}"/>${rows(5, (i) => bar(44, 92 + i * 24, 44 + next() * 24, i === 1 ? colours.mid : colours.light))}${content}</svg>`
}

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
const sizes = new Map<string, number>()
const write = (bytes: Buffer, type: 'png' | 'webp'): string => {
  const name = `${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}.${type}`
  sizes.set(name, bytes.length)
  writeFileSync(new URL(name, FOLDER), bytes)
  return name
}
const png = { palette: true, colours: 12, effort: 10, compressionLevel: 9 }
const pictures: Record<string, { icon: string; frame?: string }> = {}
for (const listing of [...listings('tools'), ...listings('directories')]) {
  const icon = await sharp(Buffer.from(mark(listing)))
    .png(png)
    .toBuffer()
  const key = `${listing.kind}:${listing.slug}`
  pictures[key] = { icon: write(icon, 'png') }
  if (listing.kind !== 'tool') continue
  const frame = await sharp(Buffer.from(window(listing)))
    .webp({ quality: 50, effort: 6 })
    .toBuffer()
  pictures[key].frame = write(frame, 'webp')
}
writeFileSync(new URL('pictures.json', FOLDER), `${JSON.stringify(pictures, null, 1)}\n`)
const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
process.stdout.write(`${sizes.size} files, ${Math.round(total / 1024)} KiB in all\n`)
