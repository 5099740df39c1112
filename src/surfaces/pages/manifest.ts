// The web manifest and the icons with which browsers and phones show the site, with the operator's name, colour and logo.
import type { FastifyInstance } from 'fastify'
import type { SiteFields } from '../../features/site/schema.ts'
import { refuseOtherMethods } from '../http/answers.ts'
import { perRevision, type Service } from '../http/service.ts'
import { pngMark, svgMark } from './mark.ts'

export const MANIFEST = '/site.webmanifest'
/** Pages link to this icon, because otherwise browsers request /favicon.ico, for which the visitor would be charged. */
export const ICON = '/icon.svg'
export const TOUCH_ICON = '/apple-touch-icon.png'

// Pixels; the size that iPhones ask for.
const ICON_SIZE = 180

const manifestOf = ({ name, description, accentColor, logo }: SiteFields): object => ({
  name,
  short_name: [...name].slice(0, 12).join('').trim(),
  description,
  start_url: '/',
  scope: '/',
  display: 'browser',
  theme_color: accentColor,
  background_color: '#ffffff',
  icons: logo
    ? [{ src: logo, sizes: 'any' }]
    : [{ src: TOUCH_ICON, sizes: `${ICON_SIZE}x${ICON_SIZE}`, type: 'image/png' }],
})

/** The requests are not charged, because the visitor was charged for the page that they belong to. */
export function addManifest(server: FastifyInstance, service: Service): void {
  const add = (path: string, type: string, make: (site: SiteFields) => Buffer) => {
    const body = perRevision(service.site, () => make(service.site.fields()))
    server.get(path, (_request, reply) => reply.header('cache-control', 'public, max-age=3600').type(type).send(body()))
    refuseOtherMethods(server, service, path)
  }
  add(MANIFEST, 'application/manifest+json; charset=utf-8', (site) => Buffer.from(JSON.stringify(manifestOf(site))))
  add(ICON, 'image/svg+xml', ({ accentColor }) => Buffer.from(svgMark(accentColor)))
  add(TOUCH_ICON, 'image/png', ({ accentColor }) => pngMark(accentColor, ICON_SIZE))
}
