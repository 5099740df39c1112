// Looks for everything that a listing lacks and mirrors the pictures it came with. Writes nothing but pictures into their store.
import type { Context } from '../../kernel/context.ts'
import type { Attempt } from '../../kernel/job.ts'
import { ownPicture } from '../../kernel/own-addresses.ts'
import { fetchPage, fetchPicture, type Nothing } from './fetching.ts'
import { writeMissing } from './generate.ts'
import type { PictureUse } from './outside.ts'
import type { PageFacts } from './page.rules.ts'
import { type EnrichedTool, findTermNames } from './queries.ts'
import type { Findings, Outcome } from './rules.ts'
import { mapTexts, withoutAddress } from './text.rules.ts'

/** For everything. After the fetching a language model may need 20 seconds; the rest is for reading and decoding what was fetched. */
export const ENRICHMENT_SECONDS = 60
const AFTER_FETCHING_MS = 25_000
// Pictures of a listing that are held at a time: each may have 10 MiB, and several listings are enriched at once.
const AT_ONCE = 2

type Page = { facts: PageFacts } | Nothing
type Note = (part: string, outcome: Outcome, note?: string) => void

export async function gather(ctx: Context, tool: EnrichedTool, { endsAt }: Pick<Attempt, 'endsAt'>): Promise<Findings> {
  const until = endsAt - AFTER_FETCHING_MS
  const findings: Findings = { fields: {}, parts: [] }
  const { fields, parts } = findings
  const note: Note = (part, outcome, note = '') => parts.push({ part, outcome, note })

  const [early, [icon = null, frame = null, ...screenshots]] = await Promise.all([
    isFilled(tool) ? null : fetchPage(ctx, tool.website, until),
    mirrorAll(ctx, [tool.icon, tool.frame, ...tool.screenshots], until),
  ])
  const page = early ?? (isNone(icon) || isNone(frame) ? await fetchPage(ctx, tool.website, until) : null)
  if (page) notePage(page, note)
  fields.icon = await settlePicture(ctx, 'icon', tool.icon, icon, page, until, note)
  fields.frame = await settlePicture(ctx, 'frame', tool.frame, frame, page, until, note)
  fields.screenshots = settleScreenshots(tool.screenshots, screenshots, note)
  if (page && !('why' in page && page.why === 'unreachable'))
    await settleTexts(ctx, tool, 'facts' in page ? page.facts : null, findings, note)
  return findings
}

/** Nothing is left for the site to give, unless a given picture proves to be none. */
const isFilled = ({ faqs, features, icon, frame }: EnrichedTool): boolean =>
  faqs.length > 0 && Object.keys(features).length > 0 && icon !== null && frame !== null

function notePage(page: Page, note: Note): void {
  if ('facts' in page) note('page', 'found')
  else note('page', page.why === 'unreachable' ? 'unreachable' : 'missing', `The website ${page.note}.`)
}

type Mirrored = { address: string } | Nothing | null

const isNone = (mirrored: Mirrored): boolean => mirrored !== null && 'why' in mirrored && mirrored.why === 'none'

/** null: there is nothing to mirror. */
async function mirror(ctx: Context, given: string | null, use: PictureUse, until: number): Promise<Mirrored> {
  return given === null || ownPicture(ctx.publicUrl, given) !== null ? null : fetchPicture(ctx, given, use, until)
}

/** The first is the icon. */
async function mirrorAll(ctx: Context, given: readonly (string | null)[], until: number): Promise<Mirrored[]> {
  const mirrored: Mirrored[] = []
  for (let at = 0; at < given.length; at += AT_ONCE) {
    const next = given.slice(at, at + AT_ONCE)
    mirrored.push(
      ...(await Promise.all(next.map((address, i) => mirror(ctx, address, at + i === 0 ? 'icon' : 'picture', until)))),
    )
  }
  return mirrored
}

/** The new value of the field; undefined where it stays as it is. */
async function settlePicture(
  ctx: Context,
  part: 'icon' | 'frame',
  given: string | null,
  mirrored: Mirrored,
  page: Page | null,
  until: number,
  note: Note,
): Promise<string | null | undefined> {
  if (given !== null && mirrored === null) return undefined
  if (mirrored && 'address' in mirrored) {
    note(part, 'mirrored')
    return mirrored.address
  }
  if (mirrored && mirrored.why !== 'none') {
    note(part, mirrored.why === 'denied' ? 'kept' : 'unreachable', `The given address ${mirrored.note}.`)
    return undefined
  }
  const dropped = mirrored ? `The given address ${mirrored.note}. ` : ''
  const found = await findPicture(ctx, part, page, until)
  if ('address' in found) {
    note(part, 'found', dropped.trim())
    return found.address
  }
  const why = found.why === 'unreachable' ? 'unreachable' : dropped ? 'dropped' : 'missing'
  note(part, why, `${dropped}${found.note}`)
  return null
}

async function findPicture(
  ctx: Context,
  part: 'icon' | 'frame',
  page: Page | null,
  until: number,
): Promise<{ address: string } | Nothing> {
  // What keeps the page from being read is said, and tried again, under its own name.
  if (!page || 'why' in page) return { why: 'none', note: 'The site could not be asked.' }
  const last: Nothing = { why: 'none', note: 'The site has none.' }
  for (const address of part === 'icon' ? page.facts.icons : page.facts.shared) {
    const fetched = await fetchPicture(ctx, address, part === 'icon' ? 'icon' : 'picture', until)
    if ('address' in fetched) return fetched
    last.note = `The site's picture ${fetched.note}.`
    if (fetched.why === 'unreachable') last.why = 'unreachable'
  }
  return last
}

function settleScreenshots(given: readonly string[], mirrored: readonly Mirrored[], note: Note): string[] {
  return given.flatMap((address, i) => {
    const one = mirrored[i] ?? null
    const part = `screenshots.${i}`
    if (one === null) return address
    if ('address' in one) {
      note(part, 'mirrored')
      return one.address
    }
    const outcome = { none: 'dropped', denied: 'kept', unreachable: 'unreachable' } as const
    note(part, outcome[one.why], `The given address ${one.note}.`)
    return one.why === 'none' ? [] : address
  })
}

async function settleTexts(
  ctx: Context,
  tool: EnrichedTool,
  facts: PageFacts | null,
  { fields }: Findings,
  note: Note,
): Promise<void> {
  const needs = { faqs: tool.faqs.length === 0, features: Object.keys(tool.features).length === 0 }
  const hide = <T>(value: T): T => mapTexts(value, (text) => withoutAddress(text, tool.founderEmail))
  const questions = facts?.questions ?? []
  const features = facts?.features ?? {}
  const hasFeatures = Object.keys(features).length > 0
  if (needs.faqs && questions.length > 0) {
    fields.faqs = hide(questions)
    note('faqs', 'found')
  }
  if (needs.features && hasFeatures) {
    fields.features = hide(features)
    note('features', 'found')
  }
  const lacks = { faqs: needs.faqs && !fields.faqs, features: needs.features && !fields.features }
  if (!lacks.faqs && !lacks.features) return
  const { name, tagline, description, pricing } = tool
  const terms = await findTermNames(ctx.db, tool.category, tool.tags)
  const described = hide({ name, tagline, description, pricing, ...terms })
  const written = await writeMissing(ctx, described, hide(facts?.text ?? ''))
  const noteWritten = (part: string, amount: number) =>
    amount > 0 ? note(part, written.outcome, written.note) : note(part, 'missing', 'There is nothing to make any from.')
  if (lacks.faqs) {
    fields.faqs = hide(written.questions)
    noteWritten('faqs', fields.faqs.length)
  }
  if (lacks.features) {
    fields.features = hide(written.features)
    noteWritten('features', Object.keys(fields.features).length)
  }
}
