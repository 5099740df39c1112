// Turns an uploaded or fetched file into a new picture, or refuses it. The type is recognised by the first bytes, the size is bounded, and
// the picture is encoded anew, which drops EXIF, colour profiles and any data hidden behind the picture. libvips decodes it in its own
// threads, except the bitmaps in .ico files.
import type { Sharp } from 'sharp'
import type { PictureUse } from '../../kernel/addresses/own-addresses.ts'
import type { EncodedPicture } from '../../kernel/interfaces/picture-store.ts'
import { isIco, largestInIco } from './ico.ts'
import sharp from './restricted-sharp.ts'

// An 8K screenshot has 33 million pixels. Formats that cannot be decoded in strips need 160 MB for this many.
const MAX_PIXELS = 40_000_000
const ICON_SIDE = 256
const MAX_WIDTH = 1600
// WebP allows 16,383. A screenshot of a whole page is rarely higher than this.
const MAX_HEIGHT = 8000
// The largest allowed picture takes two to seven seconds on a busy machine.
const MAX_SECONDS = 10

// The first bytes of each accepted type, in hexadecimal digits: PNG, JPEG, GIF, and WebP and AVIF after a length.
const STARTS = /^(?:89504e470d0a1a0a|ffd8ff|474946383[79]61|52494646.{8}57454250|.{8}66747970617669(?:66|73))/

const isPicture = (bytes: Buffer): boolean => STARTS.test(bytes.toString('hex', 0, 12))

// Most encoders write chunks of 8 KB, of which a file of 10 MB has 1,300.
const MOST_PNG_CHUNKS = 5_000

/**
 * Whether a PNG has more chunks than these. Such a file is refused: libpng warns of each chunk with a wrong checksum, and sharp took seconds
 * of the main thread for the warnings.
 */
function hasManyChunks(bytes: Buffer): boolean {
  if (bytes.toString('latin1', 1, 4) !== 'PNG') return false
  let at = 8
  for (let chunks = 0; chunks < MOST_PNG_CHUNKS; chunks++) {
    if (at + 8 > bytes.length || bytes.toString('latin1', at + 4, at + 8) === 'IEND') return false
    at += 12 + bytes.readUInt32BE(at)
  }
  return true
}

export async function encode(bytes: Buffer, use: PictureUse): Promise<EncodedPicture> {
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
