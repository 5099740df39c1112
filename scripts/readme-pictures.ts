// Takes the pictures of README.md anew: npm run pictures:readme. Each is taken in light and dark, and kept small.
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { type Chromium, launchChromium } from '../tests/harness/chromium.ts'
import { startDemoSite } from '../tests/harness/demo-site.ts'

const FOLDER = fileURLToPath(new URL('../docs/pictures/', import.meta.url))
const VIEWPORT = { width: 1280, height: 860 }
/** Of the files; README.md shows them at less than half of it. */
const WIDTH = 960
const SCHEMES = ['light', 'dark'] as const
const MOST_BYTES = 60_000
/** From the best quality to one that is still readable; the first that is small enough is taken. */
const QUALITIES = [90, 82, 74, 66, 58, 50]

const { service, administrator, developer, submissionId } = await startDemoSite()
const PICTURES = {
  home: { path: '/', cookies: new Map<string, string>() },
  search: {
    path: '/search?q=transcribe+meetings+and+write+the+follow-up+email',
    cookies: new Map<string, string>(),
  },
  workbench: { path: `/admin/submissions/${submissionId}`, cookies: administrator.cookies },
  usage: { path: '/dashboard/usage', cookies: developer.cookies },
}

const browser = await launchChromium()
try {
  mkdirSync(FOLDER, { recursive: true })
  for (const [name, { path, cookies }] of Object.entries(PICTURES))
    for (const scheme of SCHEMES)
      writeFileSync(`${FOLDER}${name}-${scheme}.webp`, await small(await pictureOf(browser, path, cookies, scheme)))
} finally {
  await browser.close()
  await service.close()
}

async function pictureOf(
  browser: Chromium,
  path: string,
  cookies: ReadonlyMap<string, string>,
  colorScheme: (typeof SCHEMES)[number],
): Promise<Buffer> {
  const context = await browser.newContext({ viewport: VIEWPORT, colorScheme, reducedMotion: 'reduce' })
  await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: service.origin })))
  const page = await context.newPage()
  await page.goto(service.origin + path, { waitUntil: 'networkidle' })
  const picture = await page.screenshot()
  await context.close()
  return picture
}

async function small(picture: Buffer): Promise<Buffer> {
  for (const quality of QUALITIES) {
    const bytes = await sharp(picture).resize({ width: WIDTH }).webp({ quality, effort: 6 }).toBuffer()
    if (bytes.length <= MOST_BYTES) return bytes
  }
  throw new Error(`A picture is larger than ${MOST_BYTES} bytes.`)
}
