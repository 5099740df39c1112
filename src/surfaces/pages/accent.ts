// The stylesheet with the operator's accent colour. A page has one stylesheet, and the content security policy allows no styles in it, so
// another colour is another stylesheet. Its address contains the colour and the hash of the usual one, so browsers may keep it for a year.
import type { FastifyInstance } from 'fastify'
import { accentColours } from '../../features/site/rules.ts'
import { DEFAULT_ACCENT } from '../../features/site/schema.ts'
import { notFound } from '../../kernel/errors.ts'
import { refuseOtherMethods } from '../http/answers.ts'
import { compressQuickly, encodingFor } from '../http/compression.ts'
import type { Service } from '../http/service.ts'
import { STYLE_TEXT, STYLESHEET } from './assets.ts'

const PATH = '/assets/accent/:file'
const [, HASH = ''] = /\.([\w-]+)\.css$/.exec(STYLESHEET) ?? []

/** The stylesheet of a site with this accent colour. */
export const stylesheetWith = (hex: string): string =>
  hex.toLowerCase() === DEFAULT_ACCENT ? STYLESHEET : `/assets/accent/${hex.slice(1).toLowerCase()}.${HASH}.css`

const pair = ([light, dark]: readonly [string, string]): string => `light-dark(${light},${dark})`

function accentStyles(hex: string): string {
  const { brand, strong, soft, on } = accentColours(hex)
  return `:root{--brand:${pair(brand)};--brand-strong:${pair(strong)};--brand-soft:${pair(soft)};--on-brand:${pair(on)};--focus:${pair(brand)}}`
}

interface Made {
  hex: string
  bytes: Buffer
  gzipped: Buffer | null
}

export function addAccent(server: FastifyInstance, service: Service): void {
  let kept: Made | undefined
  // Only the site's own colour is compressed and kept. Others are of previews, and any visitor may ask for any colour.
  const make = (hex: string): Made => {
    if (kept?.hex === hex) return kept
    const bytes = Buffer.from(`${STYLE_TEXT}\n${accentStyles(`#${hex}`)}`)
    if (service.site.fields().accentColor.toLowerCase() !== `#${hex}`) return { hex, bytes, gzipped: null }
    return (kept = { hex, bytes, gzipped: compressQuickly(bytes) })
  }
  server.get(PATH, (request, reply) => {
    const { file } = request.params as { file: string }
    const [, hex = '', hash] = /^([0-9a-f]{6})\.([\w-]{1,32})\.css$/.exec(file) ?? []
    if (hash !== HASH) throw notFound('This stylesheet was')
    const { bytes, gzipped } = make(hex)
    const encoding = gzipped && encodingFor(request.headers['accept-encoding'], ['gzip'])
    if (encoding) reply.header('content-encoding', encoding)
    return reply
      .headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding' })
      .type('text/css; charset=utf-8')
      .send(encoding && gzipped ? gzipped : bytes)
  })
  refuseOtherMethods(server, service, PATH, ['GET', 'HEAD'], false)
}
