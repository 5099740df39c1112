// Draws the picture that other sites show with a link to a listing. The text engine of the picture library draws the text, because it
// breaks lines by their real width. No foreign file is opened: the logo is one that this service has encoded itself.
import { fileURLToPath } from 'node:url'
import type { OverlayOptions } from 'sharp'
import type { ShareCard } from '../../kernel/interfaces/picture-store.ts'
import sharp from './restricted-sharp.ts'

const SHARE_WIDTH = 1200
const SHARE_HEIGHT = 630
const MARGIN = 72
const LOGO = 128
const TEXT_WIDTH = SHARE_WIDTH - 2 * MARGIN

// Containers often have no fonts at all. Characters that this one lacks are taken from the fonts of the system.
const FONT_FILE = fileURLToPath(new URL('./figtree.ttf', import.meta.url))
const FAMILY = 'Figtree Light'

interface TextStyle {
  size: number
  weight: number
  /** How opaque the text is, in percent. */
  alpha: number
  width: number
  lines: number
}

const STYLES = {
  site: { size: 34, weight: 600, alpha: 85, width: TEXT_WIDTH - LOGO - 40, lines: 1 },
  name: { size: 72, weight: 800, alpha: 100, width: TEXT_WIDTH, lines: 2 },
  text: { size: 36, weight: 400, alpha: 90, width: TEXT_WIDTH, lines: 2 },
  category: { size: 30, weight: 600, alpha: 85, width: TEXT_WIDTH, lines: 1 },
} satisfies Record<string, TextStyle>

export async function drawShareImage({ site, name, text, category, colour, logo }: ShareCard): Promise<Buffer> {
  const siteName = await textImage(site, STYLES.site)
  const shownName = await textImage(name, STYLES.name)
  const tagline = await textImage(text, STYLES.text)
  const categoryName = await textImage(category, STYLES.category)
  const nameTop = MARGIN + LOGO + 28
  const textTop = nameTop + (shownName?.height ?? 0) + 32
  const layers: (OverlayOptions | null)[] = [
    // A band at the bottom, a little lighter than the background.
    {
      input: { create: { width: SHARE_WIDTH, height: 12, channels: 4, background: '#ffffff66' } },
      left: 0,
      top: SHARE_HEIGHT - 12,
    },
    at(siteName, MARGIN, MARGIN + (LOGO - (siteName?.height ?? 0)) / 2),
    await logoLayer(logo),
    at(shownName, MARGIN, nameTop),
    at(tagline, MARGIN, textTop),
    at(categoryName, MARGIN, SHARE_HEIGHT - MARGIN - (categoryName?.height ?? 0)),
  ]
  return sharp({ create: { width: SHARE_WIDTH, height: SHARE_HEIGHT, channels: 3, background: colour } })
    .composite(layers.filter((layer) => layer !== null))
    .png({ palette: true, colours: 128, compressionLevel: 9 })
    .toBuffer()
}

interface TextImage {
  data: Buffer
  width: number
  height: number
}

// A line is 1.2 times as high as its font, and the letters of the last line end before that.
const heightOf = ({ size, lines }: TextStyle): number => Math.ceil(size * (1.2 * lines - 0.05))
const CUTS = 3

/** Draws the text in at most `style.lines` lines. A longer text is shortened up to CUTS times; lines that still do not fit are cropped. */
async function textImage(text: string, style: TextStyle): Promise<TextImage | null> {
  let shown = drawable(text)
  if (shown === '') return null
  const maxHeight = heightOf(style)
  for (let cuts = 0; ; cuts++) {
    const { data, info } = await renderText(shown, style)
    if (info.height > maxHeight && cuts < CUTS) {
      shown = `${[...shown].slice(0, Math.floor((([...shown].length * maxHeight) / info.height) * 0.95)).join('')}…`
      continue
    }
    const { width } = info
    const height = Math.min(info.height, maxHeight)
    // Raw rows lie one after another, so the beginning of the data is the upper part of the picture.
    return { data: data.subarray(0, width * height * 4), width, height }
  }
}

const renderText = (text: string, { size, weight, alpha, width }: TextStyle) => {
  const markup = `<span font_family="${FAMILY}" size="${size}pt" weight="${weight}" foreground="#ffffff" alpha="${alpha}%">${escaped(text)}</span>`
  return sharp({ text: { text: markup, fontfile: FONT_FILE, width, dpi: 72, rgba: true, wrap: 'word-char' } })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

// A longer text would be drawn with much work and then shortened anyway.
const MAX_TEXT = 300

/** Removes what the text engine refuses or draws as a box: control characters, direction marks, halves of characters. */
const drawable = (text: string): string =>
  text
    .slice(0, MAX_TEXT)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()

const at = (image: TextImage | null, left: number, top: number): OverlayOptions | null =>
  image && {
    input: image.data,
    raw: { width: image.width, height: image.height, channels: 4 },
    left: Math.round(left),
    top: Math.round(top),
  }

async function logoLayer(logo: Buffer | null): Promise<OverlayOptions | null> {
  if (!logo) return null
  const input = await sharp(logo, { limitInputPixels: 4_000_000, pages: 1 })
    .resize({ width: LOGO, height: LOGO, fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } })
    .png()
    .toBuffer()
  return { input, left: SHARE_WIDTH - MARGIN - LOGO, top: MARGIN }
}
