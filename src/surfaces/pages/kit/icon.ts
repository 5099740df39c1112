// Icons of lucide (https://lucide.dev, ISC licence), drawn inside the page, so that browsers need no request for them. Each is beside a
// word or inside a control with a label, so screen readers skip it.
import { raw } from 'hono/html'
import SHAPES from './icons.json' with { type: 'json' }
import { html, type Markup } from './markup.ts'

export type IconName = keyof typeof SHAPES

type IconSize = 'small' | 'large'

const CLASSES = { small: 'i i--s', large: 'i i--l' } satisfies Record<IconSize, string>

export const icon = (name: IconName, size?: IconSize): Markup =>
  html`<svg class="${size ? CLASSES[size] : 'i'}" viewBox="0 0 24 24" aria-hidden="true">${raw(SHAPES[name])}</svg>`

export const ICON_NAMES = Object.keys(SHAPES) as IconName[]
