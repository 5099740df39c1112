// What the service fetches from others, as ways for texts and files to get in: pages and pictures of product sites, pages of directories,
// answers of webhook receivers and language models, and what programs say about themselves.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import sharp from 'sharp'
import { createBrowser, PASSWORD } from './browser.ts'
import type { Content } from './contents.ts'
import type { Way } from './costs.ts'
import { address } from './greatest.ts'
import type { StartedGround } from './ground.ts'
import type { StandInModel } from './language-model.ts'
import { type Listening, listening } from './listening.ts'
import { newProof, REDIRECT } from './oauth.ts'
import { ADMIN_TOKEN } from './service.ts'
import { newTool } from './submissions.ts'
import { enriched } from './ways.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown

export interface HostileSite {
  url: string
  routes: Map<string, Handle | string | Buffer>
  /** Its address under another loopback host, because a host is asked once a second. */
  under(host: string): Promise<string>
  close(): Promise<void>
}

export async function hostileSite(): Promise<HostileSite> {
  const routes: HostileSite['routes'] = new Map()
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url!.split('?')[0]!
    const route = routes.get(`${request.headers.host?.split(':')[0]}${path}`) ?? routes.get(path)
    if (typeof route === 'function') return void route(request, response)
    if (route === undefined) return void response.writeHead(404).end()
    response.setHeader('content-type', typeof route === 'string' ? 'text/html; charset=utf-8' : 'image/png')
    response.end(route)
  }
  const servers: Listening[] = []
  const open = async (host: string) => {
    const server = await listening(createServer({ maxHeaderSize: 64 * 1024 }, serve), host)
    servers.push(server)
    return server.url
  }
  return {
    url: await open('127.0.0.1'),
    routes,
    under: open,
    async close() {
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}

let serial = 0
const PAGE_BYTES = 2 * 1024 * 1024
const ANSWER_BYTES = 250 * 1024

/** A text of about so many bytes in UTF-8. */
function ofBytes(content: Content, bytes: number): string {
  const perUnit = Buffer.byteLength(content.text(1_000)) / Math.max(1, content.text(1_000).length)
  return content.text(Math.floor(bytes / perUnit), serial * 1_000)
}

const inAttribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
const inElement = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const linked = (value: unknown) =>
  `<script type="application/ld+json">${JSON.stringify(value).replaceAll('<', '\\u003c')}</script>`

/** Parts of a product's page; every one is read by enrichment. */
const PARTS: Readonly<Record<string, (text: string) => string>> = {
  title: (text) => `<title>${inElement(text)}</title>`,
  meta: (text) =>
    `<meta name="description" content="${inAttribute(text)}"><meta property="og:title" content="${inAttribute(text)}">`,
  icons: (text) =>
    `<link rel="icon" href="/${inAttribute(text.slice(0, 5_000))}">`.repeat(
      Math.max(1, Math.min(500, text.length / 5_000)),
    ),
  features: (text) => linked({ '@type': 'Product', featureList: lines(text), description: text.slice(0, 50_000) }),
  faq: (text) =>
    linked({
      '@type': 'FAQPage',
      mainEntity: lines(text).map((one) => ({
        '@type': 'Question',
        name: one,
        acceptedAnswer: { '@type': 'Answer', text: one },
      })),
    }),
  headings: (text) =>
    lines(text)
      .map((one) => `<h2>${inElement(one)}</h2><p>${inElement(one)}</p>`)
      .join(''),
  links: (text) =>
    lines(text)
      .map((one) => `<a href="/${inAttribute(one)}">${inElement(one)}</a>`)
      .join(''),
  details: (text) =>
    lines(text)
      .map((one) => `<details><summary>${inElement(one)}?</summary>${inElement(one)}</details>`)
      .join(''),
  markup: (text) => `<div>${text}</div>`,
}

/** The text in up to 40 pieces. */
function lines(text: string): string[] {
  const length = Math.max(1, Math.ceil(text.length / 40))
  return Array.from({ length: Math.ceil(text.length / length) }, (_, i) =>
    text.slice(i * length, (i + 1) * length).toWellFormed(),
  )
}

/** Files that are pictures, pretend to be, or take long to look at. */
export async function files(): Promise<Record<string, Buffer>> {
  const most = 10 * 1024 * 1024 - 1_000
  const noise = Buffer.alloc(1_600 * 1_600 * 3)
  for (let i = 0; i < noise.length; i++) noise[i] = (Math.imul(i, 0x9e3779b1) >>> 13) & 255
  const raw = sharp(noise, { raw: { width: 1_600, height: 1_600, channels: 3 } })
  const small = await sharp({ create: { width: 32, height: 32, channels: 3, background: '#fff' } })
    .png()
    .toBuffer()
  const filled = (start: Buffer | string, piece: Buffer | string = '\0') => {
    const head = Buffer.from(start as string, 'latin1')
    return Buffer.concat([head, Buffer.alloc(most - head.length, piece as string, 'latin1')])
  }
  const local = Buffer.concat([
    Buffer.from('PK\x03\x04\x14\0\0\0\0\0', 'latin1'),
    Buffer.alloc(16),
    Buffer.from([1, 0, 0, 0]),
    Buffer.from('a'),
  ])
  const starts = {
    GIF: 'GIF89a\x01\0\x01\0\x80\0\0',
    JPEG: '\xff\xd8\xff\xe0',
    'JPEG markers': '\xff\xd8\xff',
    WebP: 'RIFF\xff\xff\x9f\0WEBPVP8 ',
    icon: '\0\0\x01\0\x01\0',
    AVIF: '\0\0\0\x20ftypavif\0\0\0\0avifmif1',
    MP4: '\0\0\0\x20ftypisom',
    TIFF: 'II*\0\x08\0\0\0',
    ID3: 'ID3\x04\0\0\0\0\x0f\x7f',
    Ogg: 'OggS\0\x02',
    Matroska: '\x1aE\xdf\xa3',
    PDF: '%PDF-1.7\n',
    XML: '<?xml version="1.0"?>',
    SVG: '<svg xmlns="http://www.w3.org/2000/svg">',
    gzip: '\x1f\x8b\x08\0',
    ASF: '0&\xb2u\x8ef\xcf\x11\xa6\xd9\0\xaa\0b\xcel',
    tar: `${'a'.repeat(257)}ustar`,
    nothing: '',
  }
  return {
    'small PNG': small,
    'PNG of noise': await raw.clone().png({ compressionLevel: 0 }).toBuffer(),
    'JPEG of noise': await raw.clone().jpeg({ quality: 95 }).toBuffer(),
    'WebP of noise': await raw.clone().webp({ quality: 90 }).toBuffer(),
    'a PNG with 10 MB after it': filled(small),
    'a PNG with chunks': Buffer.concat([
      small.subarray(0, 33),
      ...Array(100_000).fill(Buffer.from('\0\0\0\x01tEXta\0\0\0\0', 'latin1')),
      small.subarray(33),
    ]),
    'a ZIP of many files': filled(local, local),
    'a ZIP that pretends to be a PNG': filled(Buffer.concat([small, local]), local),
    ...Object.fromEntries(Object.entries(starts).map(([name, start]) => [`${name} of zeros`, filled(start)])),
    ...Object.fromEntries(
      Object.entries(starts).map(([name, start]) => [`${name} again and again`, filled(start, start || 'x')]),
    ),
  }
}

export function fetchedWays(ground: () => StartedGround, site: () => HostileSite, model: () => StandInModel): Way[] {
  const submit = (more: Record<string, unknown>) =>
    ground().service.fetch('/api/v1/submit-ai-tool', { method: 'POST', key: ground().partner.key, body: newTool(more) })
  const untilEnriched = (reply: { body?: any }) => enriched(ground(), reply.body.data.id)

  const page: Way = {
    name: 'page of a product site',
    fields: Object.keys(PARTS),
    send(content, fields) {
      const path = `/product-${++serial}`
      const text = ofBytes(content, (PAGE_BYTES * 0.4) / fields.length)
      site().routes.set(path, `<!doctype html>${fields.map((field) => PARTS[field]!(text)).join('\n')}`)
      return submit({ website: site().url + path, features: undefined, faq: undefined })
    },
    after: untilEnriched,
  }
  const featuresOfModel: Way = {
    name: "language model's features and questions",
    fields: ['features', 'faq'],
    send(content, fields) {
      const path = `/product-${++serial}`
      site().routes.set(path, '<title>Nothing</title><p>Nothing here.</p>')
      const parts = lines(ofBytes(content, ANSWER_BYTES / 4 / fields.length))
      model().answer = {
        features: fields.includes('features') ? Object.fromEntries(parts.map((one, i) => [`${i} ${one}`, one])) : {},
        faq: fields.includes('faq') ? parts.map((one) => ({ question: `${one}?`, answer: one })) : [],
      }
      return submit({ website: site().url + path, features: undefined, faq: undefined })
    },
    after: untilEnriched,
  }
  const answerOfModel: Way = {
    name: "language model's answer to a question",
    fields: ['answer', 'longAnswer'],
    send(content, fields) {
      model().answer = {
        canAnswer: true,
        answer: fields.includes('longAnswer') ? ofBytes(content, ANSWER_BYTES / 2) : content.text(3_990),
        sources: [1],
      }
      return ground().service.fetch('/api/v1/support/ask', {
        method: 'POST',
        key: ground().partner.key,
        body: { question: 'When is a refund paid?' },
      })
    },
  }
  const receiver: Way = {
    name: 'answer of a webhook receiver',
    fields: ['body', 'headers'],
    async send(content, fields) {
      site().routes.set('/hook', (_request, response) => {
        if (fields.includes('headers'))
          response.setHeader('x-more', encodeURI(content.text(2_000).toWellFormed()).slice(0, 8_000))
        response
          .writeHead(fields.includes('body') ? 500 : 200)
          .end(fields.includes('body') ? ofBytes(content, 1024 * 1024) : 'ok')
      })
      // A partner may send only a few test events a minute.
      const name = `Receiver ${++serial}`
      const partner = await ground().service.admin('POST', '/partners', { name, webhookUrl: `${site().url}/hook` })
      return ground().service.admin('POST', `/partners/${partner.body.data.id}/test-event`, {})
    },
  }
  const listing: Way = {
    name: 'page and robots.txt of a directory',
    fields: ['page', 'links', 'robots', 'redirect'],
    async send(content, fields) {
      const number = ++serial
      const host = `127.1.${number >> 8}.${number & 255 || 1}`
      const origin = await site().under(host)
      const text = ofBytes(content, PAGE_BYTES * 0.8)
      const body = fields.includes('links') ? PARTS.links!(text.slice(0, text.length / 4)) : inElement(text)
      const isPage = fields.includes('page') || fields.includes('links')
      site().routes.set(
        `${host}/listing`,
        isPage || !fields.includes('redirect')
          ? `<title>D</title>${isPage ? body : ''}`
          : (_request, response) =>
              response.writeHead(302, { location: address(origin, content, 4_000).slice(origin.length) }).end(),
      )
      if (fields.includes('robots'))
        site().routes.set(
          `${host}/robots.txt`,
          `User-agent: *\nAllow: /listing\n${lines(ofBytes(content, 400_000))
            .map((one) => `Disallow: /${one}`)
            .join('\n')}`,
        )
      const id = await ground().newWork()
      await ground().service.admin('PUT', `/submissions/${id}/directories/peak`, {
        isSubmitted: true,
        listingUrl: `${origin}/listing`,
      })
      return ground().service.admin('POST', `/submissions/${id}/check`, {})
    },
  }
  return [page, featuresOfModel, answerOfModel, receiver, listing, ...programWays(ground, site)]
}

/** What a program says about itself: registered, or in its document. */
function programWays(ground: () => StartedGround, site: () => HostileSite): Way[] {
  const fields = ['client_name', 'client_uri', 'redirect_uris', 'contacts']
  const metadata = (content: Content, given: readonly string[]): Record<string, unknown> => {
    const room = Math.floor(9_000 / given.length / (Buffer.byteLength(JSON.stringify(content.text(500))) / 500))
    const made: Record<string, () => unknown> = {
      client_name: () => content.text(room),
      client_uri: () => address('https://agent.example.com', content, Math.min(500, room)),
      redirect_uris: () => [address(REDIRECT, content, Math.min(1_000, room)), REDIRECT],
      contacts: () => [content.text(room)],
    }
    return {
      client_name: 'Test Agent',
      redirect_uris: [REDIRECT],
      ...Object.fromEntries(given.map((field) => [field, made[field]!()])),
    }
  }
  let browser: ReturnType<typeof createBrowser> | null = null
  return [
    {
      name: 'registration of a program',
      fields,
      send: (content, given) =>
        ground().service.fetch('/oauth/register', { method: 'POST', body: metadata(content, given) }),
    },
    {
      name: 'document of a program',
      fields,
      async send(content, given) {
        if (!browser) {
          browser = createBrowser(ground().service)
          await browser.submit('/sign-up', '/sign-up', { email: 'program@example.com', password: PASSWORD })
        }
        const path = `/program-${++serial}`
        const id = site().url + path
        site().routes.set(path, (_request, response) =>
          response
            .setHeader('content-type', 'application/json')
            .end(JSON.stringify({ client_id: id, ...metadata(content, given) })),
        )
        const query = new URLSearchParams({
          response_type: 'code',
          client_id: id,
          redirect_uri: REDIRECT,
          code_challenge: newProof().challenge,
          code_challenge_method: 'S256',
          state: 's',
          resource: `${ground().service.origin}/mcp`,
        })
        return browser.open(`/oauth/authorize?${query}`)
      },
    },
  ]
}

/** Files: uploaded, and as the pictures of a product site. A file that is refused has been looked at too. */
export function fileWays(
  ground: () => StartedGround,
  site: () => HostileSite,
  all: () => Record<string, Buffer>,
): Way[] {
  return [
    {
      name: 'upload_picture',
      fields: ['file'],
      async send({ name }) {
        const bytes = all()[name] ?? all()['small PNG']!
        const response = await fetch(`${ground().service.origin}/api/admin/media`, {
          method: 'POST',
          headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'image/png' },
          body: new Uint8Array(bytes),
        })
        return { status: response.status >= 500 ? response.status : 200, text: await response.text() }
      },
    },
    {
      name: 'pictures of a product site',
      fields: ['icon', 'screenshots'],
      send({ name }, fields) {
        const path = `/pictured-${++serial}`
        site().routes.set(`${path}.png`, all()[name] ?? all()['small PNG']!)
        const picture = `${site().url}${path}.png`
        site().routes.set(path, `<title>T</title><link rel="icon" href="${path}.png">`)
        return ground().service.fetch('/api/v1/submit-ai-tool', {
          method: 'POST',
          key: ground().partner.key,
          body: newTool({
            website: site().url + path,
            // One, because the next one is fetched after other work had its turn.
            ...(fields.includes('screenshots') ? { icon: `${site().url}/none.png`, screenshots: [picture] } : {}),
          }),
        })
      },
      after: (reply) => enriched(ground(), reply.body.data.id),
    },
  ]
}
