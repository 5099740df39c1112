// The stylesheet, the scripts and the fonts. The address of each contains a hash of its content, so browsers may keep it for a year.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { refuseOtherMethods } from '../http/answers.ts'
import { compressWell, type ContentEncoding, encodingFor } from '../http/compression.ts'
import type { Service } from '../http/service.ts'

interface Asset {
  path: string
  type: string
  bytes: Buffer
  /** Null for a file that is compressed already. Made in other threads while the service starts. */
  compressed: Record<ContentEncoding, Promise<Buffer | null>> | null
}

let lastCompressed: Promise<unknown> = Promise.resolve()
/** One at a time, because each needs megabytes of memory. Null when there is not enough. */
function inTurn(compress: () => Promise<Buffer>): Promise<Buffer | null> {
  const compressed = lastCompressed.then(compress).catch(() => null)
  lastCompressed = compressed
  return compressed
}

const readOwnFile = (file: string) => readFileSync(new URL(file, import.meta.url))
const library = readFileSync(createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js'))

const fonts = Object.fromEntries(
  ['figtree', 'bricolage-grotesque', 'geist-mono'].map((name) => [
    name,
    asset(name, 'woff2', 'font/woff2', readOwnFile(`./fonts/${name}.woff2`), false),
  ]),
)

/** In the order of the cascade: a later file may refine an earlier one. */
const STYLES = [
  ...[
    'tokens',
    'base',
    'layout',
    'controls',
    'search',
    'marks',
    'entries',
    'cards',
    'listing',
    'tables',
    'directories',
  ],
  ...['feedback', 'console', 'work', 'bench', 'usage', 'docs', 'home', 'plan', 'compare', 'area', 'frame'],
]

export const STYLE_TEXT = withFonts(STYLES.map(readStyle).join('\n'))
const style = asset('style', 'css', 'text/css; charset=utf-8', Buffer.from(STYLE_TEXT))
const script = asset(
  'script',
  'js',
  'text/javascript; charset=utf-8',
  // The source map of the library is not served, so the comment that names it is removed.
  Buffer.from(
    [
      library.toString().replace(/\n?\/\/# sourceMappingURL=\S+\s*$/, ''),
      ...['script', 'head-search', 'shortlist'].map((name) => readOwnFile(`./${name}.js`)),
    ].join('\n'),
  ),
)

/** Only the console loads it. */
const consoleScript = asset('console', 'js', 'text/javascript; charset=utf-8', readOwnFile('./console.js'))

/** Only the API reference loads it. */
const docsScript = asset('docs', 'js', 'text/javascript; charset=utf-8', readOwnFile('./docs.js'))

export const STYLESHEET = style.path
export const SCRIPT = script.path
export const CONSOLE_SCRIPT = consoleScript.path
export const DOCS_SCRIPT = docsScript.path
/** The fonts that every page needs at once. The font of code blocks is loaded when a page has one. */
export const PRELOADED_FONTS = ['figtree', 'bricolage-grotesque'].flatMap((name) => fonts[name]?.path ?? [])

/** Requests for assets are not charged, because the visitor was charged for the page that they belong to. */
export function addAssets(server: FastifyInstance, service: Service): void {
  for (const { path, type, bytes, compressed } of [style, script, consoleScript, docsScript, ...Object.values(fonts)]) {
    server.get(path, async (request, reply) => {
      const encoding = compressed && encodingFor(request.headers['accept-encoding'], ['br', 'gzip'])
      const form = encoding && (await compressed[encoding])
      if (form) reply.header('content-encoding', encoding)
      return reply
        .headers({
          'cache-control': 'public, max-age=31536000, immutable',
          ...(compressed ? { vary: 'Accept-Encoding' } : {}),
        })
        .type(type)
        .send(form ?? bytes)
    })
    refuseOtherMethods(server, service, path, ['GET', 'HEAD'], false)
  }
}

/** The files are read by people, so comments and indentation are removed before they are served. */
function readStyle(name: string): string {
  return readOwnFile(`./styles/${name}.css`)
    .toString()
    .replace(/\/\*[^*]*\*\//g, '')
    .replace(/\n\s*/g, '\n')
}

function withFonts(css: string): string {
  return css.replace(/url\("([a-z-]+)\.woff2"\)/g, (_, name: string) => `url("${fonts[name]?.path}")`)
}

function asset(name: string, extension: string, type: string, bytes: Buffer, compresses = true): Asset {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 16)
  return {
    path: `/assets/${name}.${hash}.${extension}`,
    type,
    bytes,
    compressed: compresses
      ? { br: inTurn(() => compressWell.br(bytes)), gzip: inTurn(() => compressWell.gzip(bytes)) }
      : null,
  }
}
