// The stylesheet, the scripts and the fonts. The address of each contains a hash of its content, so browsers may keep it for a year.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { MOST_SAVED } from '../../features/saved/schema.ts'
import { refuseOtherMethods } from '../http/answers/answers.ts'
import { type ContentEncoding, compressWell, encodingFor } from '../http/answers/compression.ts'
import type { Service } from '../http/service.ts'

interface Asset {
  path: string
  type: string
  bytes: Buffer
  /** Null for a format that is compressed already. Other threads compress while the service starts. */
  compressed: Record<ContentEncoding, Promise<Buffer | null>> | null
}

let lastCompressed: Promise<unknown> = Promise.resolve()
/** Compresses one file at a time, because each needs megabytes of memory. Null when there is not enough. */
function compressInTurn(compress: () => Promise<Buffer>): Promise<Buffer | null> {
  const compressed = lastCompressed.then(compress).catch(() => null)
  lastCompressed = compressed
  return compressed
}

const readOwnFile = (file: string) => readFileSync(new URL(file, import.meta.url))
const htmx = readFileSync(createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js'))

const fonts = Object.fromEntries(
  ['figtree', 'bricolage-grotesque', 'geist-mono'].map((name) => [
    name,
    asset(name, 'woff2', 'font/woff2', readOwnFile(`./fonts/${name}.woff2`), false),
  ]),
)

/** In the order of the cascade: a later file may override rules of an earlier one. */
const STYLES = [
  'tokens',
  'base',
  'layout',
  'controls',
  'search',
  'marks',
  'entries',
  'browse',
  'cards',
  'listing',
  'tables',
  'directories',
  'feedback',
  'home',
  'plan',
  'pricing',
  'compare',
  'frame',
]

/** Only the signed-in areas and the API reference load them, after the others. */
const AREA_STYLES = ['docs', 'shared', 'area', 'console', 'work', 'bench', 'usage', 'owners']

export const STYLE_TEXT = withFonts(STYLES.map(readStyle).join('\n'))
const style = asset('style', 'css', 'text/css; charset=utf-8', Buffer.from(STYLE_TEXT))
export const AREA_STYLE_TEXT = AREA_STYLES.map(readStyle).join('\n')
const areaStyle = asset('area', 'css', 'text/css; charset=utf-8', Buffer.from(AREA_STYLE_TEXT))
const script = asset(
  'script',
  'js',
  'text/javascript; charset=utf-8',
  // The source map of htmx is not served, so the comment that names it is removed.
  Buffer.from(
    [
      htmx.toString().replace(/\n?\/\/# sourceMappingURL=\S+\s*$/, ''),
      `const MOST_SAVED = ${MOST_SAVED}`,
      ...['script', 'head-search', 'shortlist'].map(readScript),
    ].join('\n'),
  ),
)

const consoleScript = asset(
  'console',
  'js',
  'text/javascript; charset=utf-8',
  Buffer.concat(['./console.js', './console-forms.js'].map(readOwnFile)),
)

/** Only the API reference loads it. */
const docsScript = asset('docs', 'js', 'text/javascript; charset=utf-8', readOwnFile('./docs.js'))

/** Only the launch plan loads it. */
const planScript = asset('plan', 'js', 'text/javascript; charset=utf-8', readOwnFile('./plan.js'))

export const STYLESHEET = style.path
export const AREA_STYLESHEET = areaStyle.path
export const SCRIPT = script.path
export const CONSOLE_SCRIPT = consoleScript.path
export const DOCS_SCRIPT = docsScript.path
export const PLAN_SCRIPT = planScript.path
/** The fonts that every page needs at once. The font of code blocks is loaded when a page has one. */
export const PRELOADED_FONTS = ['figtree', 'bricolage-grotesque'].flatMap((name) => fonts[name]?.path ?? [])

/** Requests for assets are not charged, because the visitor was charged for the page that they belong to. */
export function addAssets(server: FastifyInstance, service: Service): void {
  const scripts = [script, consoleScript, docsScript, planScript]
  for (const { path, type, bytes, compressed } of [style, areaStyle, ...scripts, ...Object.values(fonts)]) {
    server.get(path, async (request, reply) => {
      const encoding = compressed && encodingFor(request.headers['accept-encoding'], ['br', 'gzip'])
      const compressedBytes = encoding && (await compressed[encoding])
      if (compressedBytes) reply.header('content-encoding', encoding)
      return reply
        .headers({
          'cache-control': 'public, max-age=31536000, immutable',
          ...(compressed ? { vary: 'Accept-Encoding' } : {}),
        })
        .type(type)
        .send(compressedBytes ?? bytes)
    })
    refuseOtherMethods(server, service, path)
  }
}

/** Comments and spaces serve only people who edit the file, so they are removed before it is served. */
function readStyle(name: string): string {
  return readOwnFile(`./styles/${name}.css`)
    .toString()
    .replace(/\/\*[^*]*\*\//g, '')
    .replace(/\n\s*/g, '\n')
    .replace(/([{;,])\n/g, '$1')
    .replace(/ \{/g, '{')
    .replace(/: /g, ':')
    .replace(/;\}/g, '}')
}

/** Removes comment lines and indentation. That is safe because no string in these scripts spans lines. */
function readScript(name: string): string {
  return readOwnFile(`./${name}.js`)
    .toString()
    .replace(/^\s*\/\/.*\n/gm, '')
    .replace(/\n\s+/g, '\n')
}

function withFonts(css: string): string {
  return css.replace(/url\("([a-z-]+)\.woff2"\)/g, (_, name: string) => `url("${fonts[name]?.path}")`)
}

function asset(name: string, extension: string, type: string, bytes: Buffer, isCompressible = true): Asset {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 16)
  return {
    path: `/assets/${name}.${hash}.${extension}`,
    type,
    bytes,
    compressed: isCompressible
      ? { br: compressInTurn(() => compressWell.br(bytes)), gzip: compressInTurn(() => compressWell.gzip(bytes)) }
      : null,
  }
}
