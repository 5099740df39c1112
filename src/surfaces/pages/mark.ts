// The built-in mark, a drawer with cards, in the accent colour of the site: as SVG for browsers, and as PNG for phones, which take no SVG
// for an icon on the home screen. It is drawn here, because it consists of rectangles alone.
import { crc32, deflateSync } from 'node:zlib'

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
  { x: 7, y: 3, width: 15, height: 14, radius: 3, fill: '#d6f25c' },
  { x: 4.5, y: 8, width: 23, height: 12, radius: 3, fill: '#85b5a8' },
  { x: 2, y: 13, width: 28, height: 16, radius: 4.5, fill: accent },
  { x: 11, y: 18.5, width: 10, height: 4, radius: 2, fill: '#ffffff' },
]

export const svgMark = (accent: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIDE} ${SIDE}">${rectangles(accent)
    .map(
      ({ x, y, width, height, radius, fill }) =>
        `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${fill}"/>`,
    )
    .join('')}</svg>`

/** On white, because phones fill what is transparent with black. */
export function pngMark(accent: string, size: number): Buffer {
  // Phones cut the corners off, so the mark has a margin.
  const margin = size * 0.12
  const scale = (size - 2 * margin) / SIDE
  const drawn = rectangles(accent).map((one) => ({ ...one, colour: colourOf(one.fill) }))
  const rows = Buffer.alloc(size * (1 + size * 3))
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const sum = [0, 0, 0]
      for (let sample = 0; sample < SAMPLES ** 2; sample++) {
        const left = (x + ((sample % SAMPLES) + 0.5) / SAMPLES - margin) / scale
        const top = (y + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES - margin) / scale
        const colour = drawn.findLast((one) => covers(one, left, top))?.colour ?? WHITE
        for (const [part, value] of colour.entries()) sum[part] = (sum[part] ?? 0) + value
      }
      rows.set(
        sum.map((value) => Math.round(value / SAMPLES ** 2)),
        y * (1 + size * 3) + 1 + x * 3,
      )
    }
  return pngOf(rows, size)
}

/** So many points in each direction decide the colour of a pixel. */
const SAMPLES = 2
const WHITE = [255, 255, 255]

const colourOf = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))

function covers({ x, y, width, height, radius }: Rectangle, left: number, top: number): boolean {
  const across = Math.max(x + radius - left, left - (x + width - radius), 0)
  const down = Math.max(y + radius - top, top - (y + height - radius), 0)
  return across ** 2 + down ** 2 <= radius ** 2
}

/** `rows`: for each row a zero, then three bytes a pixel. */
function pngOf(rows: Buffer, size: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  // Eight bits a part, red, green and blue.
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
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(content), 4)
  return Buffer.concat([frame.subarray(0, 4), content, frame.subarray(4)])
}
