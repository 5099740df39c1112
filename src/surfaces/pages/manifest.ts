// The web manifest and the icons with which browsers and phones show the site, with the operator's name, colour and logo.
import { crc32, deflateSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { recoloured } from '../../features/site/colours.rules.ts'
import type { SiteFields } from '../../features/site/schema.ts'
import { refuseOtherMethods } from '../http/answers/answers.ts'
import { perRevision, type Service } from '../http/service.ts'

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

// The built-in logo, a drawer with cards, in the accent colour of the site: as SVG for browsers, and as PNG for phones, which accept no SVG
// as an icon on the home screen. It consists of rectangles only, so this file computes the pixels without a graphics library.

interface Rectangle {
  x: number
  y: number
  width: number
  height: number
  radius: number
  fill: string
}

/** The side of the square that the rectangles are drawn in. */
const SIDE = 32

const rectangles = (accent: string): readonly Rectangle[] => [
  { x: 7, y: 3, width: 15, height: 14, radius: 3, fill: recoloured('#d6f25c', accent) },
  { x: 4.5, y: 8, width: 23, height: 12, radius: 3, fill: recoloured('#85b5a8', accent) },
  { x: 2, y: 13, width: 28, height: 16, radius: 4.5, fill: accent },
  { x: 11, y: 18.5, width: 10, height: 4, radius: 2, fill: '#ffffff' },
]

const svgMark = (accent: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIDE} ${SIDE}">${rectangles(accent)
    .map(
      ({ x, y, width, height, radius, fill }) =>
        `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${fill}"/>`,
    )
    .join('')}</svg>`

/** Draws the logo on white, because phones show transparent pixels in black. */
function pngMark(accent: string, size: number): Buffer {
  // Phones cut off the corners of the icon, so the logo has a margin.
  const margin = size * 0.12
  const scale = (size - 2 * margin) / SIDE
  const shapes = rectangles(accent).map((one) => ({ ...one, colour: colourOf(one.fill) }))
  const rows = Buffer.alloc(size * (1 + size * 3))
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const sum = [0, 0, 0]
      for (let sample = 0; sample < SAMPLES ** 2; sample++) {
        const pointX = (x + ((sample % SAMPLES) + 0.5) / SAMPLES - margin) / scale
        const pointY = (y + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES - margin) / scale
        const colour = shapes.findLast((one) => covers(one, pointX, pointY))?.colour ?? WHITE
        for (const [channel, value] of colour.entries()) sum[channel] = (sum[channel] ?? 0) + value
      }
      rows.set(
        sum.map((value) => Math.round(value / SAMPLES ** 2)),
        y * (1 + size * 3) + 1 + x * 3,
      )
    }
  return pngOf(rows, size)
}

/** The colour of a pixel is the average of this many points in each direction, which makes edges smooth. */
const SAMPLES = 2
const WHITE = [255, 255, 255]

const colourOf = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))

/** Whether the point is in the rectangle with its rounded corners. */
function covers({ x, y, width, height, radius }: Rectangle, pointX: number, pointY: number): boolean {
  const dx = Math.max(x + radius - pointX, pointX - (x + width - radius), 0)
  const dy = Math.max(y + radius - pointY, pointY - (y + height - radius), 0)
  return dx ** 2 + dy ** 2 <= radius ** 2
}

/** `rows`: for each row a zero (the PNG filter type "none"), then three bytes per pixel. */
function pngOf(rows: Buffer, size: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  // Eight bits per channel; red, green and blue; the standard compression and filter; not interlaced.
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const lengthAndChecksum = Buffer.alloc(8)
  lengthAndChecksum.writeUInt32BE(data.length, 0)
  lengthAndChecksum.writeUInt32BE(crc32(content), 4)
  return Buffer.concat([lengthAndChecksum.subarray(0, 4), content, lengthAndChecksum.subarray(4)])
}
