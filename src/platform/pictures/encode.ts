// Whatever was uploaded or fetched becomes a picture of our own making, or nothing: known by its content, bounded in size, written
// anew (which drops EXIF, colour profiles and anything hidden behind the picture).
import { fileTypeFromBuffer } from 'file-type'
import sharp, { type Sharp } from 'sharp'

import { OPERATOR } from '../../kernel/job.ts'
import type { PictureType, PictureUse } from '../../kernel/own-addresses.ts'
import { createFairTurns, untilAborted } from '../turns.ts'

import { isIco, largestInIco } from './ico.ts'

export type EncodedPicture =
  | { bytes: Buffer; type: PictureType; width: number; height: number }
  /** The end of a sentence that starts with what was looked at. */
  | { problem: string }

// An 8K screenshot has 33 million. Decoded, this is 160 MB for the formats that cannot be read in strips.
const MAX_PIXELS = 40_000_000
const ICON_SIDE = 256
const MAX_WIDTH = 1600
// WebP ends at 16,383; a page in full length is rarely longer than this.
const MAX_HEIGHT = 8000
// The largest that is allowed takes two to seven on a busy machine.
const MAX_SECONDS = 10

// Everything else that libvips could open (SVG, PDF, TIFF, …) stays shut, whatever the checks below let through.
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

const TYPES = new Set(['image/png', 'image/apng', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'])

/** Whose pictures take turns with others', and what ends the wait for them. */
export interface PictureLine {
  owner: string
  signal?: AbortSignal
}

export function createPictures(): {
  encode(bytes: Buffer, use: PictureUse, line?: PictureLine): Promise<EncodedPicture>
} {
  // One at a time: several large ones at once would need more memory than a small machine has.
  const takeTurn = createFairTurns(1)
  return {
    encode: (bytes, use, { owner, signal } = { owner: OPERATOR }) =>
      // What is being decoded cannot be stopped and keeps its turn for a few seconds, but nothing waits for it any longer.
      untilAborted(
        takeTurn(owner, () => encode(bytes, use), signal),
        signal,
      ),
  }
}

async function encode(bytes: Buffer, use: PictureUse): Promise<EncodedPicture> {
  const opened = await open(bytes)
  if ('problem' in opened) return opened
  try {
    const { width, height } = await opened.picture.metadata()
    if (!width || !height) return { problem: 'is no picture that can be read' }
    if (width * height > MAX_PIXELS) return { problem: `has more than ${MAX_PIXELS / 1e6} million pixels` }
    return await (use === 'icon' ? encodeIcon(opened.picture) : encodePicture(opened.picture))
  } catch (error) {
    return {
      problem: /exceeds pixel limit/i.test((error as Error).message)
        ? `has more than ${MAX_PIXELS / 1e6} million pixels`
        : 'is damaged',
    }
  }
}

async function open(bytes: Buffer): Promise<{ picture: Sharp } | { problem: string }> {
  const options = { limitInputPixels: MAX_PIXELS, failOn: 'error', pages: 1 } as const
  if (isIco(bytes)) {
    const inside = largestInIco(bytes)
    if (!inside) return { problem: 'is an icon file with nothing in it that can be read' }
    if ('png' in inside) return { picture: sharp(inside.png, options) }
    const { pixels, width, height } = inside
    return { picture: sharp(pixels, { raw: { width, height, channels: 4 } }) }
  }
  const type = (await fileTypeFromBuffer(bytes).catch(() => undefined))?.mime
  if (!type || !TYPES.has(type)) return { problem: 'is no PNG, JPEG, WebP, GIF or AVIF picture' }
  return { picture: sharp(bytes, options) }
}

/** Square, with transparent bars where it was not; a small one is not blown up. */
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
