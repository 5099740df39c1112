// Pages of directories as they are found: with the link, without it, behind a challenge, broken. Each kind is served at an address of its own
// (127.1.0.1, 127.1.0.2 …), because a host is asked once a second.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { LinkState } from '../../src/features/submissions/bench/link.rules.ts'
import { listening } from './listening.ts'

/** The product of every page; nothing answers there, and nothing has to. */
export const PRODUCT = 'https://acme-writer.example.com/'

interface ServedPage {
  status?: number
  headers?: Record<string, string>
  body: string | Buffer
}

interface ListingKind {
  name: string
  state: LinkState
  /** The history's other columns, where they matter. */
  also?: { rel?: string | null; anchorText?: string | null; noindex?: boolean | null; status?: number | null }
  /** The page at /listing, if a page alone decides. */
  page?: ServedPage
  /** Other paths, or the listing where more than a page is needed. */
  routes?: Record<string, ServedPage | ((request: IncomingMessage, response: ServerResponse) => void)>
  /** Takes as long as a request may take. */
  isSlow?: true
}

export const html = (body: string, head = ''): string =>
  `<!doctype html><html><head><title>Acme Writer – Launch List</title>${head}</head><body><header><a href="/">Launch List</a></header><main><h1>Acme Writer</h1><p>Drafts your mail in your own voice, for teams of any size.</p>${body}</main><footer><a href="/about">About</a></footer></body></html>`

const link = (href: string, attributes = '', text = 'Acme Writer') => `<a href="${href}" ${attributes}>${text}</a>`
const page = (body: string | Buffer, more: Partial<ServedPage> = {}): ServedPage => ({ body, ...more })
const redirect = (location: string, status = 302): ServedPage => ({ status, headers: { location }, body: '' })

export const LISTING_KINDS: readonly ListingKind[] = [
  {
    name: 'a plain link',
    state: 'live',
    also: { rel: '', anchorText: 'Acme Writer', noindex: false, status: 200 },
    page: page(html(link(PRODUCT))),
  },
  {
    name: 'a link with other words in rel',
    state: 'live',
    also: { rel: 'noopener noreferrer' },
    page: page(html(link(PRODUCT, 'rel="noopener  NOREFERRER"'))),
  },
  {
    name: 'nofollow',
    state: 'nofollow',
    also: { rel: 'nofollow noopener' },
    page: page(html(link(PRODUCT, 'rel="NoFollow noopener"'))),
  },
  { name: 'ugc', state: 'nofollow', page: page(html(link(PRODUCT, 'rel=ugc'))) },
  { name: 'sponsored', state: 'nofollow', page: page(html(link(PRODUCT, 'rel="sponsored"'))) },
  {
    name: 'one link with nofollow and one without',
    state: 'live',
    page: page(html(link(PRODUCT, 'rel="nofollow"') + link(PRODUCT))),
  },
  {
    name: 'a page that asks crawlers to follow none of its links',
    state: 'nofollow',
    also: { rel: 'nofollow' },
    page: page(html(link(PRODUCT), '<meta name="ROBOTS" content="noarchive, NOFOLLOW">')),
  },
  { name: 'no link', state: 'missing', page: page(html('<p>Our favourite tools.</p>')) },
  { name: '404', state: 'gone', also: { status: 404 }, page: page(html('Not found'), { status: 404 }) },
  { name: '410', state: 'gone', page: page('', { status: 410 }) },
  { name: '401', state: 'blocked', page: page(html(''), { status: 401 }) },
  { name: '403', state: 'blocked', also: { status: 403 }, page: page(html(''), { status: 403 }) },
  { name: '429', state: 'blocked', page: page('slow down', { status: 429 }) },
  { name: '500', state: 'unreachable', page: page(html('Oops'), { status: 500 }) },
  { name: '503', state: 'unreachable', page: page('', { status: 503 }) },
  {
    name: 'a challenge with status 200',
    state: 'blocked',
    page: page(
      '<!doctype html><html><head><title>Just a moment...</title></head><body><div id="challenge-error-text">Enable JavaScript and cookies to continue</div><script src="/x.js"></script></body></html>',
    ),
  },
  {
    name: 'a challenge with status 503',
    state: 'blocked',
    page: page(
      '<html><head><title>DDoS-Guard</title></head><body><p>Checking your browser before accessing launch-list.</p></body></html>',
      { status: 503 },
    ),
  },
  {
    name: 'a challenge with status 404 and a header alone',
    state: 'blocked',
    page: page('<p>x</p>', { status: 404, headers: { 'cf-mitigated': 'challenge' } }),
  },
  {
    name: 'a look-alike host',
    state: 'missing',
    page: page(
      html(
        [
          'https://acme-writer.example.com.evil.example/',
          'https://acme-writer-example.com/',
          'https://xacme-writer.example.com/',
          'https://acme-writer.example.com@evil.example/',
          'https://evil.example/https://acme-writer.example.com/',
          'https://аcme-writer.example.com/',
          'https://app.acme-writer.example.com/',
          'https://acme-writer.example.com:8443/',
        ]
          .map((href) => link(href))
          .join(' '),
      ),
    ),
  },
  {
    name: 'a page below the product',
    state: 'live',
    page: page(html(link(`${PRODUCT}pricing?utm_source=launch-list#top`))),
  },
  {
    name: 'upper case, www, http and a trailing dot',
    state: 'live',
    page: page(html(link('HTTP://WWW.ACME-WRITER.EXAMPLE.COM./index.html'))),
  },
  {
    name: 'a base tag',
    state: 'live',
    page: page(html(link('pricing'), `<base href="${PRODUCT}">`)),
  },
  {
    name: 'a base tag that leads a relative link elsewhere',
    state: 'missing',
    page: page(html(link('/acme-writer.example.com'), '<base href="https://other.example/">')),
  },
  { name: 'a link without a scheme', state: 'live', page: page(html(link('//acme-writer.example.com'))) },
  { name: 'a commented-out link', state: 'missing', page: page(html(`<!-- ${link(PRODUCT)} -->`)) },
  {
    name: 'a link in a script only',
    state: 'missing',
    page: page(html(`<script>document.title = '${link(PRODUCT)}'</script>`)),
  },
  { name: 'a link in a template only', state: 'missing', page: page(html(`<template>${link(PRODUCT)}</template>`)) },
  { name: 'the address as text', state: 'missing', page: page(html(`<p>${PRODUCT}</p>`)) },
  {
    name: 'a page that only a script fills',
    state: 'unknown',
    page: page(
      '<!doctype html><title>Launch List</title><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src="/app.js"></script>',
    ),
  },
  {
    name: 'a frame whose content a script fills',
    state: 'unknown',
    page: page(
      `<!doctype html><title>Launch List</title><nav>${link('/', '', 'All the tools of this year in one place')}</nav><div id="__next">Loading…</div><footer>All rights reserved by the people of Launch List</footer><script src="/app.js"></script>`,
    ),
  },
  {
    name: 'noindex',
    state: 'live',
    also: { noindex: true },
    page: page(html(link(PRODUCT), '<meta name="robots" content="noindex">')),
  },
  {
    name: 'noindex in a header',
    state: 'live',
    also: { noindex: true },
    page: page(html(link(PRODUCT)), { headers: { 'x-robots-tag': 'bingbot: nofollow, noindex' } }),
  },
  {
    name: 'a link around a picture',
    state: 'live',
    also: { anchorText: 'Acme logo' },
    page: page(html(link(PRODUCT, '', '<img src="/a.png" alt="Acme logo">'))),
  },
  {
    name: 'a huge page with the link at its beginning',
    state: 'live',
    page: page(html(link(PRODUCT) + 'Text. '.repeat(500_000))),
  },
  {
    name: 'a huge page with the link at its end',
    state: 'unknown',
    page: page(html('Text. '.repeat(500_000) + link(PRODUCT))),
  },
  {
    name: 'a charset that the page is not in',
    state: 'live',
    page: page(html(link(PRODUCT)), { headers: { 'content-type': 'text/html; charset=utf-16' } }),
  },
  {
    name: 'UTF-16 that the header calls UTF-8',
    state: 'live',
    page: page(Buffer.from(`\ufeff${html(link(PRODUCT))}`, 'utf16le')),
  },
  {
    name: 'an unknown charset and broken bytes',
    state: 'live',
    page: page(Buffer.concat([Buffer.from([0xff, 0xfe, 0x41].reverse()), Buffer.from(html(link(PRODUCT)))]), {
      headers: { 'content-type': 'text/html; charset=klingon' },
    }),
  },
  { name: 'a PDF', state: 'unknown', page: page('%PDF-1.7', { headers: { 'content-type': 'application/pdf' } }) },
  { name: 'an empty page', state: 'unreachable', page: page('') },
]

/** Kinds that need more than one answer of the directory. */
export const SERVED_KINDS: readonly ListingKind[] = [
  {
    name: 'a chain of redirects to the page',
    state: 'live',
    routes: {
      '/listing': redirect('/a', 301),
      '/a': redirect('/b?x=1', 308),
      '/b?x=1': page(html(link(PRODUCT))),
    },
  },
  {
    name: 'redirects without an end',
    state: 'unreachable',
    routes: { '/listing': redirect('/other'), '/other': redirect('/listing') },
  },
  { name: 'a redirect to the home page', state: 'missing', routes: { '/listing': redirect('/'), '/': page(html('')) } },
  {
    name: 'a listing that is itself a redirect to the product',
    state: 'live',
    routes: { '/listing': redirect(PRODUCT) },
  },
  {
    name: 'a redirect of its own',
    state: 'live',
    also: { anchorText: 'Visit website' },
    routes: {
      '/listing': page(html(link('/out?to=acme', '', 'Visit website'))),
      '/out?to=acme': redirect(`${PRODUCT}?ref=launch-list`),
    },
  },
  {
    name: 'a redirect of its own with nofollow',
    state: 'nofollow',
    routes: {
      '/listing': page(html(link('/go/acme-writer', 'rel="nofollow"', 'Visit'))),
      '/go/acme-writer': redirect(PRODUCT, 301),
    },
  },
  {
    name: 'a redirect of its own to another product',
    state: 'missing',
    routes: {
      '/listing': page(html(link('/out/other', '', 'Visit website'))),
      '/out/other': redirect('https://other.example/'),
    },
  },
  {
    name: 'a redirect of its own that robots.txt forbids',
    state: 'blocked',
    routes: {
      '/robots.txt': page('User-agent: *\nDisallow: /out'),
      '/listing': page(html(link('/out?to=acme', '', 'Visit website'))),
      '/out?to=acme': redirect(PRODUCT),
    },
  },
  {
    name: 'a page that robots.txt forbids',
    state: 'blocked',
    also: { status: null },
    routes: {
      '/robots.txt': page('User-agent: Catalog-LinkCheck\nDisallow: /'),
      '/listing': page(html(link(PRODUCT))),
    },
  },
  {
    name: 'a robots.txt that forbids other programs',
    state: 'live',
    routes: {
      '/robots.txt': page('User-agent: Catalog-LinkCheck\nAllow: /\n\nUser-agent: *\nDisallow: /'),
      '/listing': page(html(link(PRODUCT))),
    },
  },
  {
    name: 'a robots.txt that fails',
    state: 'unreachable',
    routes: { '/robots.txt': page('', { status: 500 }), '/listing': page(html(link(PRODUCT))) },
  },
  {
    name: 'a meta refresh to the page',
    state: 'live',
    routes: {
      '/listing': page('<meta http-equiv="Refresh" content="0; URL=\'/new\'"><p>We have moved.</p>'),
      '/new': page(html(link(PRODUCT))),
    },
  },
  {
    name: 'a meta refresh to the product',
    state: 'live',
    routes: {
      '/listing': page(`<meta http-equiv=refresh content="3;url=${PRODUCT}"><p>You are being redirected.</p>`),
    },
  },
  {
    name: 'a reset',
    state: 'unreachable',
    also: { status: null },
    routes: { '/listing': (request) => void request.socket.resetAndDestroy() },
  },
  {
    name: 'half an answer',
    state: 'unreachable',
    routes: {
      '/listing': (request, response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'content-length': '5000' }).write(html(link(PRODUCT)))
        setTimeout(() => request.socket.destroy(), 50)
      },
    },
  },
  { name: 'no answer', state: 'unreachable', isSlow: true, routes: { '/listing': () => {} } },
  {
    name: 'markup that keeps a parser busy',
    state: 'unknown',
    isSlow: true,
    routes: { '/listing': page(`${'<div>'.repeat(400_000)}${link(PRODUCT)}`) },
  },
]

export interface Directories {
  /** The address of a listing of this kind. */
  address(kind: ListingKind, path?: string): string
  /** The requests to this kind, with their times. */
  asked(kind: ListingKind): { path: string; at: number; agent: string }[]
  close(): Promise<void>
}

export async function startDirectories(kinds: readonly ListingKind[]): Promise<Directories> {
  const hostOf = (kind: ListingKind) =>
    `127.1.${Math.floor(kinds.indexOf(kind) / 250)}.${(kinds.indexOf(kind) % 250) + 1}`
  const byHost = new Map(kinds.map((kind) => [hostOf(kind), kind]))
  const asked = new Map<string, { path: string; at: number; agent: string }[]>()
  const server = createServer((request, response) => {
    const host = request.socket.localAddress!.replace('::ffff:', '')
    const kind = byHost.get(host)
    const path = request.url!
    asked.set(host, [
      ...(asked.get(host) ?? []),
      { path, at: performance.now(), agent: request.headers['user-agent'] ?? '' },
    ])
    const route = kind?.routes?.[path] ?? (path === '/listing' ? kind?.page : undefined)
    if (typeof route === 'function') return route(request, response)
    if (!route) return void response.writeHead(404).end('not here')
    const headers = { 'content-type': path === '/robots.txt' ? 'text/plain' : 'text/html; charset=utf-8' }
    response.writeHead(route.status ?? 200, { ...headers, ...route.headers }).end(route.body)
  })
  const { port, close } = await listening(server, '0.0.0.0')
  return {
    address: (kind, path = '/listing') => `http://${hostOf(kind)}:${port}${path}`,
    asked: (kind) => asked.get(hostOf(kind)) ?? [],
    close,
  }
}
