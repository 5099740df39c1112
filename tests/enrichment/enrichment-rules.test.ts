// What the service takes from a page, and what it derives when the page has nothing.
// @module-tag once
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { type PageFacts, readPage } from '../../src/features/enrichment/page/page.rules.ts'
import { plainLine, withoutEmails, withoutFounderEmail } from '../../src/features/enrichment/page/text.rules.ts'
import { changesFor, judgeStatus, mergeParts, resultOf } from '../../src/features/enrichment/rules.ts'
import { deriveFeatures, deriveQuestions } from '../../src/features/enrichment/write-texts.ts'
import { ModelFailure } from '../../src/kernel/interfaces/language-model.ts'
import { createKeptThreads } from '../../src/platform/kept-threads.ts'
import { createLanguageModel } from '../../src/platform/models/language-model.ts'

const URL_OF_PAGE = 'https://acme.example.com/deep/page?x=1'
const read = (html: string, contentType = 'text/html; charset=utf-8') =>
  readPage({ bytes: Buffer.from(html), url: URL_OF_PAGE, contentType })
const ld = (value: unknown) =>
  `<script type="application/ld+json">${typeof value === 'string' ? value : JSON.stringify(value)}</script>`
const ask = (question: string, answer: string) => ({
  '@type': 'Question',
  name: question,
  acceptedAnswer: { '@type': 'Answer', text: answer },
})

test('the description of a page does not say twice what its summary says', () => {
  const summary = 'Acme turns spoken thoughts into notes that you can find again.'
  const more = 'It works on your own device.'
  const { about } = read(`<meta name="description" content="${summary}"><body><p>${summary} ${more}</p>`)
  expect(about.description).toBe(`${summary} ${more}`)
})

describe('pictures of a page', () => {
  test('used as icons are the largest first, without vector pictures, and /favicon.ico last', () => {
    const { icons } = read(`
      <link rel="icon" href="/small.png" sizes="16x16"><link rel="SHORTCUT ICON" href="plain.ico">
      <link rel="icon" href="/logo.svg" type="image/svg+xml"><link rel="mask-icon" href="/mask.svg">
      <link rel="apple-touch-icon" href="//cdn.example.com/touch.png"><link rel="icon" sizes="any 192x192" href="big.png">
      <link rel="stylesheet" href="/style.css"><link rel="icon" href="javascript:alert(1)"><link rel=icon href="">`)
    expect(icons).toEqual([
      'https://acme.example.com/deep/big.png',
      'https://cdn.example.com/touch.png',
      'https://acme.example.com/deep/plain.ico',
      'https://acme.example.com/small.png',
      'https://acme.example.com/favicon.ico',
    ])
    expect(read('').icons).toEqual(['https://acme.example.com/favicon.ico'])
  })

  test('used as share image are from Open Graph before Twitter before image_src, relative to <base>', () => {
    const { sharePictures } = read(`<base href="/assets/"><link rel="image_src" href="c.png">
      <meta name="twitter:image" content="b.png"><meta property="OG:image" content="a.png">
      <meta property="og:image" content="file:///etc/passwd"><meta property="og:image" content="https://u:p@x.example/">`)
    expect(sharePictures).toEqual(['a', 'b', 'c'].map((name) => `https://acme.example.com/assets/${name}.png`))
    expect(read('<base href="javascript:1"><meta property="og:image" content="a.png">').sharePictures).toEqual([
      'https://acme.example.com/deep/a.png',
    ])
  })
})

describe('questions of a page', () => {
  const found = (html: string) => read(html).questions

  test('are taken from JSON-LD first, beside a malformed block, in a @graph, of several types, with markup inside', () => {
    const page = {
      '@type': ['WebPage', 'https://schema.org/FAQPage'],
      mainEntity: [ask('Is it <b>free</b>?', '<p>Yes</p><p>&amp; no.</p>')],
    }
    const html = `${ld('{"@type": "FAQPage", oops')}${ld({ '@graph': [{ '@type': 'Organization' }, page] })}
      <details><summary>Other?</summary>Not this one.</details>`
    expect(found(html)).toEqual([{ question: 'Is it free?', answer: 'Yes & no.' }])
    expect(found(ld({ '@type': 'FAQPage', mainEntity: ask('One?', 'A single one.') }))).toHaveLength(1)
  })

  test('need a question and an answer, and repetitions are left out', () => {
    const mainEntity = [
      ask('A?', 'Yes.'),
      ask('a?', 'Again.'),
      ask('B?', '  '),
      { name: 7 },
      null,
      'text',
      ask('', 'No question.'),
    ]
    expect(found(ld({ '@type': 'FAQPage', mainEntity }))).toEqual([{ question: 'A?', answer: 'Yes.' }])
  })

  test('are taken from details and summary that ask, or that are in an FAQ', () => {
    const html = `<details><summary>How <i>does</i> it work?</summary><p>Very</p><p>well.</p></details>
      <details><summary>More</summary>Menu</details>
      <div class="my-FAQ-list"><details><summary>Refunds</summary>Within a month.</details></div>`
    expect(found(html)).toEqual([
      { question: 'How does it work?', answer: 'Very well.' },
      { question: 'Refunds', answer: 'Within a month.' },
    ])
  })

  test('are taken from headings that ask and the text after them, also when an accordion wraps both', () => {
    const html = `<h2>FAQ</h2><h3>Can I cancel at any time?</h3><p>Yes, whenever you like, in your settings.</p>
      <div><div><h3><button>Where is my data kept?</button></h3></div><div hidden><p>On our servers in Lisbon, encrypted.</p></div></div>
      <dl><dt>Is there an API?</dt><dd>There is one, on every paid plan.</dd></dl><h2>Ready to start?</h2><a href=/>Go</a>`
    expect(found(html)).toEqual([
      { question: 'Can I cancel at any time?', answer: 'Yes, whenever you like, in your settings.' },
      { question: 'Where is my data kept?', answer: 'On our servers in Lisbon, encrypted.' },
      { question: 'Is there an API?', answer: 'There is one, on every paid plan.' },
    ])
    expect(found('<h2>Ready to start?</h2><p>Sign up now, it takes a minute.</p>')).toEqual([])
  })

  test('are at most 20, of 300 and 2,000 characters of plain text', () => {
    const many = Array.from({ length: 50 }, (_, i) =>
      ask(`${i} ${'q'.repeat(400)}?`, `\u0000\u202e${'😀 '.repeat(3000)}`),
    )
    const questions = found(ld({ '@type': 'FAQPage', mainEntity: many }))
    expect(questions).toHaveLength(20)
    for (const { question, answer } of questions) {
      expect([...question].length).toBe(300)
      expect([...answer].length).toBeLessThanOrEqual(2000)
      expect(answer.isWellFormed()).toBe(true)
      expect(answer).not.toMatch(/[\p{Cc}\u202e<>]/u)
    }
  })
})

describe('features of a page', () => {
  test('are taken from JSON-LD', () => {
    const item = { '@type': 'SoftwareApplication', featureList: ['Drafts: writes mail', 'Spell checking'] }
    expect(read(ld(item)).features).toEqual({ Drafts: 'writes mail', 'Spell checking': '' })
  })

  test('are taken from a section of features: headings with text, list items with a label', () => {
    const html = `<section><h2>Key features</h2><div><h3>Fast</h3><p>Answers in a second.</p></div>
      <div><h3>Safe</h3><p>Nothing leaves <script>x</script>your machine.</p></div>
      <ul><li><strong>Open:</strong> the source is public</li></ul></section>`
    expect(read(html).features).toEqual({
      Fast: 'Answers in a second.',
      Safe: 'Nothing leaves your machine.',
      Open: 'the source is public',
    })
    expect(read('<h2>Features</h2><ul><li>Teams – share a style<li>API</ul>').features).toEqual({
      Teams: 'share a style',
      API: '',
    })
    expect(read('<ul><li>Home</li><li>Prices</li></ul>').features).toEqual({})
  })

  test('are at most 12, of 80 and 300 characters', () => {
    const items = Array.from({ length: 40 }, (_, i) => `<li><b>${i} ${'n'.repeat(200)}</b> ${'t'.repeat(900)}</li>`)
    const features = Object.entries(read(`<div id=features><ul>${items.join('')}</ul></div>`).features)
    expect(features).toHaveLength(12)
    for (const [name, text] of features) expect([name.length <= 80, text.length <= 300]).toEqual([true, true])
  })
})

test('a page in another encoding is read', () => {
  const bytes = Buffer.from('<details><summary>Où est-ce ?</summary>Très près</details>', 'latin1')
  expect(readPage({ bytes, url: URL_OF_PAGE, contentType: 'text/html; charset=ISO-8859-1' }).questions).toEqual([
    { question: 'Où est-ce ?', answer: 'Très près' },
  ])
})

test('a page made to keep the parser busy is given up, and its thread ends', async () => {
  const file = new URL('../../src/features/enrichment/page/read-page-thread.ts', import.meta.url)
  const page = { bytes: Buffer.from('<div>'.repeat(400_000)), url: URL_OF_PAGE, contentType: '' }
  const readInThread = createKeptThreads<PageFacts>(file, { atOnce: 1, timeoutMs: 2_000 })
  await expect(readInThread(page)).rejects.toThrow('took too long')
  const good = { bytes: Buffer.from('<h1>x</h1>'), url: URL_OF_PAGE, contentType: '' }
  expect(await readInThread(good)).toMatchObject({ text: 'x' })
})

describe('text from a page', () => {
  test('is one line of valid Unicode, cut at characters', () => {
    expect(plainLine(' a\n\tb\u0007c \ud800d ', 50)).toBe('a bc \ufffdd')
    expect(plainLine('😀😀😀😀', 3)).toBe('😀😀…')
  })

  test('has no e-mail addresses', () => {
    expect(withoutEmails('Ask ada@example.com, "bob@x.co.uk".')).toBe('Ask [e-mail], "[e-mail]".')
    expect(withoutFounderEmail('ADA+x@Example.com', 'ada+x@example.com')).toBe('[e-mail]')
  })
})

describe('content derived from the listing', () => {
  const tool = {
    name: 'Acme',
    tagline: 'Writes mail',
    description: 'Acme drafts mail. It has an API for teams! And more.',
    pricing: 'FREEMIUM' as const,
    category: 'Writing',
    tags: ['API', 'Mail'],
  }
  test('has questions about the product', () => {
    expect(deriveQuestions(tool)).toEqual([
      { question: 'What is Acme?', answer: 'Writes mail. Acme drafts mail. It has an API for teams! And more.' },
      { question: 'Is Acme free?', answer: 'Acme has a free plan and paid plans.' },
      { question: 'What is Acme for?', answer: 'Acme is listed under Writing, API, and Mail.' },
    ])
  })
  test('has features named in the description or tags', () => {
    expect(deriveFeatures(tool)).toEqual({ API: 'It has an API for teams!', Mail: 'Acme drafts mail.' })
    expect(deriveFeatures({ ...tool, description: 'It has:\n- Speed: fast\n- Style\n' })).toEqual({
      Speed: 'fast',
      Style: '',
    })
    expect(deriveFeatures({ ...tool, tags: [] })).toEqual({})
  })
})

describe('the result of an enrichment', () => {
  const empty = { icon: null, frame: null, screenshots: [], faqs: [], features: {} }
  test('is written only into fields that have not changed since it began', () => {
    const found = { icon: 'new', frame: 'new', features: { a: 'b' } }
    expect(changesFor(empty, empty, found)).toEqual(found)
    expect(changesFor(empty, { ...empty, icon: 'admin', features: { x: 'y' } }, found)).toEqual({ frame: 'new' })
    expect(changesFor(empty, empty, { icon: null, screenshots: [] })).toEqual({})
  })
  test('is tried again three times when the site cannot be reached', () => {
    const part = { part: 'page', outcome: 'unreachable' as const, note: '' }
    expect([1, 2, 3, 4].map((attempt) => resultOf([part], attempt))).toEqual(['again', 'again', 'again', 'failed'])
    expect(resultOf(mergeParts([part], [{ ...part, outcome: 'found' }]), 2)).toBe('done')
  })
  test("depends on the status of the site's answer", () => {
    expect([200, 204, 403, 404, 410, 429, 500, 503].map(judgeStatus)).toEqual([
      'good',
      'good',
      'denied',
      'none',
      'none',
      'unreachable',
      'unreachable',
      'unreachable',
    ])
  })
})

describe('the language model', () => {
  const askModel = async (respond: (body: any) => { status?: number; body?: string } | null, timeoutMs = 5_000) => {
    let received: any
    const server = createServer(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += chunk
      received = { url: request.url, headers: request.headers, body: JSON.parse(text) }
      const answer = respond(received.body)
      if (answer) response.writeHead(answer.status ?? 200).end(answer.body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`
    const model = createLanguageModel({ baseUrl, apiKey: 'secret', model: 'small' })
    try {
      return {
        answer: await model.ask({ purpose: 'enrichment', instructions: 'I', material: 'M', timeoutMs }),
        received,
      }
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }
  const saying = (content: unknown) => ({ body: JSON.stringify({ choices: [{ message: { content } }] }) })

  test('answers with JSON, also inside a code block', async () => {
    const { answer, received } = await askModel(() => saying('```json\n{"a": 1}\n```'))
    expect(answer).toEqual({ a: 1 })
    expect([received.url, received.headers.authorization, received.body.model]).toEqual([
      '/v1/chat/completions',
      'Bearer secret',
      'small',
    ])
  })
  test.each([
    ['answers no JSON', () => saying('Sure! Here you go')],
    ['answers nothing', () => saying(null)],
    ['answers without the envelope', () => ({ body: '<html>' })],
    ['answers 500', () => ({ status: 500, body: '{}' })],
    ['answers too much', () => ({ body: 'x'.repeat(300_000) })],
  ])('is reported as an error when it %s', async (_name, respond) => {
    await expect(askModel(respond)).rejects.toThrow(ModelFailure)
  })
  test('is reported as an error when it is too slow', async () => {
    await expect(askModel(() => null, 200)).rejects.toThrow()
  })
})
