// Readable shades of the accent colour, and the colours of a site with it.
import { DEFAULT_ACCENT } from './schema.ts'

/** The background colours of pages, as in styles/tokens.css. */
const LIGHT_GROUND = '#f5f6f1'
const DARK_GROUND = '#0c1310'
/** The lightest background of dark pages: a colour that can be read on it can be read on all of them. */
const DARK_RAISED = '#1f302a'
/** The contrast that WCAG 2.2 asks of text of any size. */
const MIN_CONTRAST = 4.5

type Colour = readonly [red: number, green: number, blue: number]

const colourOf = (hex: string): Colour => {
  const part = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16)
  return [part(1), part(3), part(5)]
}
const hexOf = (colour: Colour): string =>
  `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

const toLinear = (part: number): number => {
  const share = part / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

function luminanceOf(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map(toLinear)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [one, other].map((hex) => luminanceOf(colourOf(hex))).toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

const mixed = (hex: string, other: string, share: number): string => {
  const [from, to] = [colourOf(hex), colourOf(other)]
  const part = (at: 0 | 1 | 2) => from[at] * (1 - share) + to[at] * share
  return hexOf([part(0), part(1), part(2)])
}

/** The nearest colour towards `end` (black or white) that can be read on the ground. */
function readableOn(hex: string, ground: string, end: string): string {
  for (let share = 0; share < 1; share += 0.01) {
    const candidate = mixed(hex, end, share)
    if (contrastOf(candidate, ground) >= MIN_CONTRAST) return candidate
  }
  return end
}

/**
 * The accent on light and on dark pages, with a stronger and a softer form of each. Every colour has a shade that can be read on each of
 * them, so none is refused.
 */
export function accentColours(hex: string) {
  const accent = hex.toLowerCase()
  const light = readableOn(accent, LIGHT_GROUND, '#000000')
  const dark = readableOn(accent, DARK_RAISED, '#ffffff')
  return {
    brand: [light, dark],
    strong: [mixed(light, '#000000', 0.28), mixed(dark, '#ffffff', 0.4)],
    soft: [mixed(light, '#ffffff', 0.86), mixed(dark, DARK_GROUND, 0.8)],
    on: ['#ffffff', DARK_GROUND],
  } as const
}

/** The accent for mails and share images, which have no dark mode; white text can be read on it. */
export const accentForText = (hex: string): string => accentColours(hex).brand[0]

// Oklab describes colours as eyes see them: turning the hue leaves the lightness, and so the contrast with other colours, nearly as it is.
interface Oklch {
  lightness: number
  chroma: number
  /** In radians. */
  hue: number
}

const fromLinear = (share: number): number => (share <= 0.0031308 ? 12.92 * share : 1.055 * share ** (1 / 2.4) - 0.055)

function oklchOf(hex: string): Oklch {
  const [red = 0, green = 0, blue = 0] = colourOf(hex).map(toLinear)
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  return {
    lightness: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    chroma: Math.hypot(a, b),
    hue: Math.atan2(b, a),
  }
}

/** The shares of red, green and blue; some are below 0 or above 1 when screens cannot show the colour. */
function sharesOf({ lightness, chroma, hue }: Oklch): number[] {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map(fromLinear)
}

const DEFAULT_OKLCH = oklchOf(DEFAULT_ACCENT)

/**
 * Adapts a built-in colour, such as the green of the hero, to the accent of a site. The hue of the colour turns by the angle between the
 * default accent and this accent. An accent that is greyer than the default one makes the colour greyer too. A result that no screen can show
 * is made greyer until a screen can.
 */
export function recoloured(hex: string, accent: string): string {
  const given = oklchOf(hex)
  const to = oklchOf(accent)
  const hue = given.hue + to.hue - DEFAULT_OKLCH.hue
  let chroma = given.chroma * Math.min(1, to.chroma / DEFAULT_OKLCH.chroma)
  let shares = sharesOf({ ...given, chroma, hue })
  while (chroma > 0 && shares.some((share) => !(share >= -0.0005 && share <= 1.0005))) {
    chroma = chroma < 0.002 ? 0 : chroma * 0.96
    shares = sharesOf({ ...given, chroma, hue })
  }
  const [red = 0, green = 0, blue = 0] = shares.map((share) => 255 * Math.min(1, Math.max(0, share)))
  return hexOf([red, green, blue])
}

export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)
