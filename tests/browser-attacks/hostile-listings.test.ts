// Three hundred texts that were made to break pages, each in every field of a tool and of a directory, in a real browser: no script runs,
// the page requests nothing from other hosts, the layout holds, and names are shown as text.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { withoutInvisible } from '../../src/kernel/checks/invisible.ts'
import { horizontalOverflow, launchChromium, type Visit, visitor } from '../harness/chromium.ts'
import { HOSTILE_KINDS, HOSTILE_STRINGS, hostile } from '../harness/hostile-strings.ts'
import { use, useService } from '../harness/use.ts'

// Globals of the functions that run inside the page.
declare const document: any
declare const window: any

const COUNT = HOSTILE_STRINGS.length
const TERMS = 60
// Neither step divides the number of kinds: over all opened pages, every field has every kind.
const FIELD_STEP = 22
const PAGE_STEP = 11
const OPENED = Array.from({ length: Math.ceil(COUNT / PAGE_STEP) }, (_, i) => i * PAGE_STEP)

let visit: Visit

const service = useService()
const browser = use(launchChromium)
beforeAll(async () => {
  await service.load([
    ...many(TERMS, (n) => ({
      kind: 'category',
      slug: `c-${n}`,
      name: nameOf(n),
      description: hostile(n + 5, 2000),
      icon: hostile(n + 9, 2000),
    })),
    ...many(TERMS, (n) => ({ kind: 'tag', slug: `t-${n}`, name: nameOf(n + 100) })),
    ...many(TERMS, (n) => ({ kind: 'directoryCategory', slug: `d-${n}`, name: nameOf(n + 200) })),
  ])
  await service.load(many(COUNT, hostileTool))
  await service.load(many(COUNT, hostileDirectory))
  visit = await visitor(browser, service.origin, { phone: true })
  await visit.context.addInitScript(() => {
    const happened: string[] = []
    window.happened = happened
    window.ran = () => happened.push('a script of the listing ran')
    window.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile, sample }: any) =>
      happened.push(`the policy refused ${violatedDirective} ${blockedURI} ${sourceFile} ${sample}`),
    )
  })
}, 240_000)

const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

/** A name may not be blank. */
function nameOf(n: number): string {
  const name = hostile(n, 200)
  // Invisible characters are removed when a name is stored, and a name of nothing else is refused.
  return withoutInvisible(name).trim() === '' ? `x${name.slice(1)}` : name
}

const at = (text: string) => `https://hostile.example/${text}`
/** An address of this service that begins like that of a stored picture. */
const picture = (text: string) => `${service.origin}/media/${text.replace(/^[/.\\\s]+/, '')}`

function hostileTool(n: number): object {
  let field = 0
  const next = (most?: number) => hostile(n + FIELD_STEP * ++field, most)
  return {
    kind: 'tool',
    slug: `tool-${n}`,
    name: nameOf(n),
    tagline: next(500),
    description: many(PAGE_STEP, (i) => hostile(n + i)).join('\n\n'),
    website: at(next(1000)),
    category: `c-${n % TERMS}`,
    tags: [`t-${n % TERMS}`, `t-${(n + 7) % TERMS}`],
    icon: picture(next(1000)),
    frame: picture(next(1000)),
    screenshots: [picture(next(1000)), picture(next(1000))],
    video: n % 2 ? at(next(1000)) : `https://www.youtube.com/watch?v=abc&t=${encodeURIComponent(next(500))}`,
    founderName: next(200),
    location: next(200),
    discountCode: next(100),
    affiliateLink: at(next(1000)),
    socials: { [next(1000)]: at(next(1000)), x: at(next(1000)) },
    faqs: many(3, () => ({ question: next(1000), answer: next(1000) })),
    features: { [next(1000)]: next(1000), [next(1000)]: next(1000) },
    isForSale: true,
    opens: COUNT - n,
  }
}

function hostileDirectory(n: number): object {
  let field = 0
  const next = (most?: number) => hostile(n + FIELD_STEP * ++field, most)
  return {
    kind: 'directory',
    slug: `directory-${n}`,
    name: nameOf(n),
    website: at(next(1000)),
    icon: picture(next(1000)),
    frame: picture(next(1000)),
    type: next(50),
    submissionExperience: next(200),
    categories: [`d-${n % TERMS}`, `d-${(n + 7) % TERMS}`],
    smallDescription: next(1000),
    fullDescription: many(PAGE_STEP, (i) => hostile(n + i)).join('\n\n'),
    features: [next(1000), next(1000)],
    useCases: [next(1000), next(1000)],
    faq: many(3, () => ({ question: next(1000), answer: next(1000) })),
    deal: { text: next(1000), code: next(100) },
    socials: { [next(1000)]: at(next(1000)), x: at(next(1000)) },
    domainRating: 50,
  }
}

/** Opens a page and returns a sentence for every problem. */
async function look(path: string): Promise<string[]> {
  const { page } = visit
  await page.goto(path)
  return (await problemsOf(page)).map((wrong) => `${path}: ${wrong}`)
}

async function problemsOf(page: Page): Promise<string[]> {
  const found = await page.evaluate(() => {
    const problems: string[] = [...window.happened]
    const ours = /^\/assets\/script\.[\w-]+\.js$/
    for (const element of document.querySelectorAll('*')) {
      const name = element.localName
      if (/^(iframe|object|embed|base|style|template|dialog|portal|plaintext|xmp|math|marquee|b)$/.test(name))
        problems.push(`there is a ${name}`)
      if (name === 'script' && !ours.test(element.getAttribute('src') ?? '') && !element.matches('[type$="ld+json"]'))
        problems.push(`a script that is not ours: ${element.outerHTML}`)
      if (name === 'meta' && element.hasAttribute('http-equiv')) problems.push(element.outerHTML)
      for (const { name: attribute, value } of element.attributes) {
        if (/^on|^style$|^srcdoc$|^formaction$|^background$/.test(attribute)) problems.push(element.outerHTML)
        if (
          /^(href|src|action|data-embed|data-hx-get)$/.test(attribute) &&
          !/^(https?:|[/#]|data:image\/svg)/.test(value)
        )
          problems.push(`${attribute} leads to ${value}`)
      }
    }
    // The frame around the content is the same on every page.
    const shape = [...document.body.children].map((child: any) => child.localName).join(' ')
    if (shape !== 'a header main footer') problems.push(`the page is made of ${shape}`)
    if (document.querySelectorAll('main, h1').length !== 2) problems.push('more than one main or heading')
    if (document.dir || document.body.dir) problems.push('the page has another direction')
    return problems
  })
  const surplus = await horizontalOverflow(page)
  if (surplus > 0) found.push(`scrolls sideways by ${surplus} pixels`)
  return [...found, ...visit.problems.splice(0)]
}

/** Line breaks as a browser normalises them. */
const asRead = (text: string) => text.replaceAll(/\r\n?/g, '\n')
const heading = () => visit.page.locator('h1').textContent()

test('there are three hundred texts, of fifteen kinds', () => {
  expect([new Set(HOSTILE_STRINGS).size, HOSTILE_KINDS.length]).toEqual([300, 15])
})

test('the check works: it finds a page that does not escape', async () => {
  const { context, page } = visit
  await context.route('**/unescaped', (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: { 'content-security-policy': "script-src 'unsafe-inline'; img-src 'none'" },
      body: `<!DOCTYPE html><a></a><header></header><main><h1 onclick=x>${'W'.repeat(500)}</h1><script>ran(); alert(1)</script><img src=https://evil.example/1.png></main>`,
    }),
  )
  await page.goto('/unescaped')
  const problems = (await problemsOf(page)).join('\n')
  for (const sign of ['ran', 'refused img-src', 'not ours', 'onclick', 'made of', 'sideways', 'dialog: 1'])
    expect(problems).toContain(sign)
})

test.each([
  ['tool', nameOf],
  ['directory', nameOf],
] as const)('the page of a %s', { timeout: 240_000 }, async (kind, name) => {
  const folder = kind === 'tool' ? '/tools/tool-' : '/directories/directory-'
  const problems: string[] = []
  for (const n of OPENED) {
    problems.push(...(await look(`${folder}${n}`)))
    if ((await heading()) !== asRead(name(n))) problems.push(`${folder}${n} is called ${await heading()}`)
  }
  expect(problems).toEqual([])
})

test('the home page and all pages of the lists show them as text', { timeout: 240_000 }, async () => {
  const problems = await look('/')
  for (let page = 1; page <= COUNT / 20; page++)
    problems.push(...(await look(`/tools?page=${page}`)), ...(await look(`/directories?page=${page}`)))
  expect(await visit.page.locator('.entry').count()).toBe(20)
  for (const path of ['/categories', '/tags']) problems.push(...(await look(path)))
  for (let n = 0; n < TERMS; n += 4)
    problems.push(...(await look(`/categories/c-${n}`)), ...(await look(`/tags/t-${n}`)))
  expect(problems).toEqual([])
})

describe('as search words', () => {
  test('in the URL', { timeout: 240_000 }, async () => {
    const problems: string[] = []
    for (const n of OPENED) {
      const q = hostile(n, 400).trim()
      problems.push(...(await look(`/${n % 2 ? 'tools' : 'directories'}?${new URLSearchParams({ q })}`)))
      // A single-line field has no line breaks.
      const shown = q.replaceAll(/[\r\n]/g, '')
      if ((await visit.page.getByRole('searchbox').inputValue()) !== shown) problems.push(`${q} became something else`)
    }
    expect(problems).toEqual([])
  })

  test('typed, with results while typing', { timeout: 120_000 }, async () => {
    const { page } = visit
    const problems = await look('/')
    const search = page.getByRole('searchbox')
    for (let n = 0; n < HOSTILE_KINDS.length; n++) {
      const answered = page.waitForResponse((response) => response.url().includes('/tools?'))
      await search.fill(`a ${hostile(n, 200)}`)
      await answered
      await expect
        .poll(() =>
          page
            .locator('#results')
            .getByText(/^\d+ tools?/)
            .count(),
        )
        .toBe(1)
      problems.push(...(await problemsOf(page)))
    }
    expect(problems).toEqual([])
  })

  test('in every other part of a URL', { timeout: 120_000 }, async () => {
    const problems: string[] = []
    for (let n = 0; n < HOSTILE_KINDS.length; n++) {
      const text = hostile(n + 45, 300)
      const names = ['category', 'tag', 'pricing', 'page', 'adult', 'cost', 'type', 'sort', 'next', 'token', text]
      const query = new URLSearchParams(names.map((name): [string, string] => [name, text]))
      const paths = ['/tools', '/directories', '/sign-in', '/sign-up', '/link', `/tools/${encodeURIComponent(text)}`]
      for (const path of [paths[n % paths.length]!, paths[(n + 1) % paths.length]!])
        problems.push(...(await look(`${path}?${query}`)))
    }
    expect(problems).toEqual([])
  })
})

test('invalid URLs are refused before they are stored, in every URL field', async () => {
  const addresses = HOSTILE_STRINGS.filter((text) => /^\s*(java|vb|live)script|^(data|blob|filesystem):/i.test(text))
  expect(addresses.length).toBeGreaterThan(10)
  const taken: string[] = []
  for (const address of addresses)
    for (const [path, fields] of [
      ['/tools/probe', ['website', 'icon', 'frame', 'video', 'affiliateLink']],
      ['/directories/probe', ['website', 'icon', 'frame', 'submissionLink']],
    ] as const)
      for (const body of [
        ...fields.map((field) => ({ [field]: address })),
        { socials: { x: address } },
        ...(path === '/tools/probe' ? [{ screenshots: [address] }] : []),
      ]) {
        const { status } = await service.admin('PUT', path, { name: 'Probe', ...body })
        if (status !== 400) taken.push(`${path} took ${JSON.stringify(body)}: ${status}`)
      }
  expect(taken).toEqual([])
})
