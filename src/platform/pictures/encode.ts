// Turns an uploaded or fetched file into a new picture, or refuses it. The type is recognised by the first bytes, the size is bounded, and
// the picture is encoded anew, which drops EXIF, colour profiles and any data hidden behind the picture. libvips decodes it in its own
// threads, except the bitmaps in .ico files.
import sharp, { type Sharp } from 'sharp'
import { untilAborted } from '../../kernel/deadline.ts'
import { OPERATOR } from '../../kernel/job.ts'
import type { PictureUse } from '../../kernel/own-addresses.ts'
import type { EncodedPicture, Pictures } from '../../kernel/picture-store.ts'
import { createFairTurns } from '../../kernel/turns.ts'
import { drawShareImage } from './share-image.ts'

// An 8K screenshot has 33 million pixels. Formats that cannot be decoded in strips need 160 MB for this many.
const MAX_PIXELS = 40_000_000
const ICON_SIDE = 256
const MAX_WIDTH = 1600
// WebP allows 16,383. A screenshot of a whole page is rarely higher than this.
const MAX_HEIGHT = 8000
// The largest allowed picture takes two to seven seconds on a busy machine.
const MAX_SECONDS = 10

// Blocks every other format that libvips could open (SVG, PDF, TIFF, …), even if the checks below had a gap.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadPng',
    'VipsForeignLoadJpeg',
    'VipsForeignLoadWebp',
    'VipsForeignLoadNsgif',
    'VipsForeignLoadHeif',
  ],
})
sharp.cache(false)

// The first bytes of each accepted type, in hexadecimal digits: PNG, JPEG, GIF, and WebP and AVIF after a length.
const STARTS = /^(?:89504e470d0a1a0a|ffd8ff|474946383[79]61|52494646.{8}57454250|.{8}66747970617669(?:66|73))/

const isPicture = (bytes: Buffer): boolean => STARTS.test(bytes.toString('hex', 0, 12))

// Most encoders write chunks of 8 KB, of which a file of 10 MB has 1,300.
const MOST_PNG_CHUNKS = 5_000

/** Such a PNG is refused: libpng warns of each chunk with a wrong checksum, and sharp took seconds of the main thread for the warnings. */
function hasManyChunks(bytes: Buffer): boolean {
  if (bytes.toString('latin1', 1, 4) !== 'PNG') return false
  let at = 8
  for (let chunks = 0; chunks < MOST_PNG_CHUNKS; chunks++) {
    if (at + 8 > bytes.length || bytes.toString('latin1', at + 4, at + 8) === 'IEND') return false
    at += 12 + bytes.readUInt32BE(at)
  }
  return true
}

/** The share images of all listings have one owner, so together they get one turn in each round. */
const SHARE_OWNER = 'share images'

export function createPictures(): Pictures {
  // One picture at a time: several large ones at once would need more memory than a small machine has.
  const takeTurn = createFairTurns(1)
  return {
    encode: (bytes, use, { owner, signal } = { owner: OPERATOR }) =>
      // Decoding cannot be stopped and keeps its turn for a few more seconds, but the caller no longer waits for it.
      untilAborted(
        takeTurn(owner, () => encode(bytes, use), signal),
        signal,
      ),
    drawShare: (card) => takeTurn(SHARE_OWNER, () => drawShareImage(card)),
  }
}

async function encode(bytes: Buffer, use: PictureUse): Promise<EncodedPicture> {
  const opened = open(bytes)
  if ('problem' in opened) return opened
  try {
    return await (use === 'icon' ? encodeIcon(opened.picture) : encodePicture(opened.picture))
  } catch (error) {
    return {
      problem: /exceeds pixel limit/i.test((error as Error).message)
        ? `has more than ${MAX_PIXELS / 1e6} million pixels`
        : 'is damaged',
    }
  }
}

function open(bytes: Buffer): { picture: Sharp } | { problem: string } {
  if (isIco(bytes)) {
    const inside = largestInIco(bytes)
    if (!inside) return { problem: 'is an icon file with nothing in it that can be read' }
    if ('png' in inside) return openPicture(inside.png)
    const { pixels, width, height } = inside
    return { picture: sharp(pixels, { raw: { width, height, channels: 4 } }) }
  }
  return isPicture(bytes) ? openPicture(bytes) : { problem: 'is no PNG, JPEG, WebP, GIF or AVIF picture' }
}

function openPicture(bytes: Buffer): { picture: Sharp } | { problem: string } {
  if (hasManyChunks(bytes)) return { problem: `is a PNG of more than ${MOST_PNG_CHUNKS} pieces` }
  return { picture: sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', pages: 1 }) }
}

/** Makes the icon square with transparent bars, and does not enlarge a small one. */
async function encodeIcon(picture: Sharp): Promise<EncodedPicture> {
  const { data, info } = await picture
    .timeout({ seconds: MAX_SECONDS })
    .autoOrient()
    .resize({ width: ICON_SIDE, height: ICON_SIDE, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  const side = Math.max(width, height)
  const left = Math.floor((side - width) / 2)
  const top = Math.floor((side - height) / 2)
  const bytes = await sharp(data, { raw: { width, height, channels } })
    .extend({
      left,
      right: side - width - left,
      top,
      bottom: side - height - top,
      background: { r: 0, g: 0, b: 0, alpha: 0 },
    })
    .png({ compressionLevel: 9 })
    .toBuffer()
  return { bytes, type: 'png', width: side, height: side }
}

async function encodePicture(picture: Sharp): Promise<EncodedPicture> {
  const { data, info } = await picture
    .timeout({ seconds: MAX_SECONDS })
    .autoOrient()
    .resize({ width: MAX_WIDTH, height: MAX_HEIGHT, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .webp({ quality: 80 })
    .toBuffer({ resolveWithObject: true })
  return { bytes: data, type: 'webp', width: info.width, height: info.height }
}

// Reads the largest picture in an .ico file, which libvips cannot read. Its entries are PNG files or bitmaps without their file header.

type IcoPicture = { png: Buffer } | { pixels: Buffer; width: number; height: number }

const HEADER = 6
const ENTRY = 16
const MAX_SIDE = 256
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

export const isIco = (bytes: Buffer): boolean =>
  bytes.length > HEADER + ENTRY &&
  bytes.readUInt16LE(0) === 0 &&
  bytes.readUInt16LE(2) === 1 &&
  bytes.readUInt16LE(4) > 0

/** Returns null if no picture in the file can be read. */
export function largestInIco(bytes: Buffer): IcoPicture | null {
  const count = Math.min(bytes.readUInt16LE(4), 64, Math.floor((bytes.length - HEADER) / ENTRY))
  const entries = Array.from({ length: count }, (_, i) => {
    const at = HEADER + i * ENTRY
    // The width is one byte, and 0 means 256.
    const side = bytes[at] || MAX_SIDE
    const start = bytes.readUInt32LE(at + 12)
    return { side, depth: bytes.readUInt16LE(at + 6), data: bytes.subarray(start, start + bytes.readUInt32LE(at + 8)) }
  }).sort((a, b) => b.side - a.side || b.depth - a.depth)
  for (const { data } of entries) {
    const picture = readEntry(data)
    if (picture) return picture
  }
  return null
}

function readEntry(data: Buffer): IcoPicture | null {
  if (data.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return { png: data }
  try {
    return readBitmap(data)
  } catch {
    // A read past the end throws: the file is shorter than its header says.
    return null
  }
}

function readBitmap(data: Buffer): IcoPicture | null {
  const headerSize = data.readUInt32LE(0)
  const width = data.readInt32LE(4)
  // The height counts the mask below the picture too.
  const height = data.readInt32LE(8) / 2
  const depth = data.readUInt16LE(14)
  const isUncompressed = data.readUInt32LE(16) === 0
  const fits = (side: number) => Number.isInteger(side) && side > 0 && side <= MAX_SIDE
  if (headerSize < 40 || !isUncompressed || !fits(width) || !fits(height) || ![1, 4, 8, 24, 32].includes(depth))
    return null
  const colours = depth > 8 ? 0 : data.readUInt32LE(32) || 2 ** depth
  const rows = headerSize + colours * 4
  const stride = Math.ceil((width * depth) / 32) * 4
  const mask = rows + stride * height
  // Checked before any pixel is read: otherwise each of many truncated entries would be read to its end.
  if (mask > data.length) return null
  const maskStride = Math.ceil(width / 32) * 4
  const pixels = Buffer.alloc(width * height * 4)
  let isAnyOpaque = false
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const row = rows + (height - 1 - y) * stride
      const source = depth > 8 ? row + (x * depth) / 8 : headerSize + paletteIndex(data, row, x, depth) * 4
      const target = (y * width + x) * 4
      pixels[target] = data.readUInt8(source + 2)
      pixels[target + 1] = data.readUInt8(source + 1)
      pixels[target + 2] = data.readUInt8(source)
      const alpha = depth === 32 ? data.readUInt8(source + 3) : isMasked(data, mask, maskStride, height, x, y) ? 0 : 255
      pixels[target + 3] = alpha
      isAnyOpaque ||= alpha > 0
    }
  // In old 32-bit icons all alpha bytes are 0, which means opaque.
  if (!isAnyOpaque) for (let i = 3; i < pixels.length; i += 4) pixels[i] = 255
  return { pixels, width, height }
}

function paletteIndex(data: Buffer, row: number, x: number, depth: number): number {
  const bit = x * depth
  return (data.readUInt8(row + (bit >> 3)) >> (8 - depth - (bit & 7))) & (2 ** depth - 1)
}

function isMasked(data: Buffer, mask: number, stride: number, height: number, x: number, y: number): boolean {
  const at = mask + (height - 1 - y) * stride + (x >> 3)
  return at < data.length && ((data.readUInt8(at) >> (7 - (x & 7))) & 1) === 1
}
