// Looks for everything that a listing lacks, and mirrors its pictures. It stores only pictures; `jobs.ts` writes the findings.
import { isDeepStrictEqual } from 'node:util'
import { ownPicture, type PictureUse, type SinglePicture } from '../../kernel/addresses/own-addresses.ts'
import type { Context } from '../../kernel/context.ts'
import type { Attempt } from '../../kernel/job.ts'
import { type FetchProblem, fetchPage, fetchPicture, iconAddresses } from './fetching.ts'
import type { PageFacts } from './page/page.rules.ts'
import { mapTexts, withoutFounderEmail } from './page/text.rules.ts'
import { type EnrichedTool, findTermNames } from './queries.ts'
import { type EnrichedFields, type Findings, type PartOutcome, TEXT_FIELDS, type TextField } from './rules.ts'
import { type DescribedTool, deriveFeatures, deriveQuestions, writeMissing } from './write-texts.ts'

/** The time for all steps together. Fetching ends 25 seconds earlier, because a language model may need 20 seconds after it. */
export const ENRICHMENT_SECONDS = 60
const AFTER_FETCHING_MS = 25_000
// A listing's pictures are fetched in groups of this size, because each may have 10 MiB and several listings are enriched at once.
const PARALLEL_PICTURES = 2

// At most this many of the pictures that a page shows large become screenshots of a product that is not listed yet.
const MOST_SCREENSHOTS_FOUND = 3

type Page = { facts: PageFacts } | FetchProblem
/** Adds the outcome of one part to the findings. */
type Note = (part: string, outcome: PartOutcome, note?: string) => void

/** `declined`: the fields that the partner sent empty on purpose; they stay empty. */
export async function gather(
  ctx: Context,
  tool: EnrichedTool,
  declined: readonly TextField[],
  { endsAt }: Pick<Attempt, 'endsAt'>,
): Promise<Findings> {
  const until = endsAt - AFTER_FETCHING_MS
  const findings: Findings = { fields: {}, parts: [] }
  const { fields, parts } = findings
  const note: Note = (part, outcome, text = '') => parts.push({ part, outcome, note: text })
  const texts = await neededTexts(ctx, tool, declined)

  const [earlyPage, [icon = null, frame = null, ...screenshots]] = await Promise.all([
    isFilled(tool, texts) ? null : fetchPage(ctx, tool.website, until),
    mirrorAll(ctx, [tool.icon, tool.frame, ...tool.screenshots], until),
  ])
  const page = earlyPage ?? (isNoPicture(icon) || isNoPicture(frame) ? await fetchPage(ctx, tool.website, until) : null)
  if (page) notePage(page, note)
  fields.icon = await settlePicture(ctx, 'icon', tool.icon, icon, page, until, note)
  fields.frame = await settlePicture(ctx, 'frame', tool.frame, frame, page, until, note)
  fields.screenshots = settleScreenshots(tool.screenshots, screenshots, note)
  if (page && 'why' in page && page.why === 'unreachable') settleDerived(texts, findings, note)
  else if (page) await settleTexts(ctx, texts, 'facts' in page ? page.facts : null, findings, note)
  return findings
}

/**
 * Reads the site of a product that is not listed yet, and stores its logo and its pictures, the main one first. `onPage` is called as soon
 * as the page was read. `until` is when reading has to be over, in milliseconds since 1970.
 */
export async function readSite(
  ctx: Context,
  website: string,
  until: number,
  onPage: () => Promise<void>,
): Promise<{ facts: PageFacts; icon: string | null; pictures: string[] } | FetchProblem> {
  const page = await fetchPage(ctx, website, until)
  if ('why' in page) return page
  await onPage()
  const { facts } = page
  const icon = await findPicture(ctx, 'icon', page, until)
  const main = await findPicture(ctx, 'frame', page, until)
  // Share pictures are often one picture in several sizes.
  const large = facts.large.filter((address) => !facts.sharePictures.includes(address)).slice(0, MOST_SCREENSHOTS_FOUND)
  const found = [main, ...(await mirrorAll(ctx, [null, ...large], until))]
  const pictures = new Set(found.flatMap((picture) => (picture && 'address' in picture ? picture.address : [])))
  return { facts, icon: 'address' in icon ? icon.address : null, pictures: [...pictures] }
}

/** For a listing whose site could not be read in time: finds only the texts that are derived from what the partner sent. */
export async function gatherDerived(
  ctx: Context,
  tool: EnrichedTool,
  declined: readonly TextField[],
): Promise<Findings> {
  const findings: Findings = { fields: {}, parts: [] }
  const note: Note = (part, outcome, text = '') => findings.parts.push({ part, outcome, note: text })
  settleDerived(await neededTexts(ctx, tool, declined), findings, note)
  return findings
}

/** Whether the listing has everything, so that its site is needed only if a given picture does not work. */
const isFilled = ({ icon, frame }: EnrichedTool, { needs }: NeededTexts): boolean =>
  !needs.faqs && !needs.features && icon !== null && frame !== null

function notePage(page: Page, note: Note): void {
  if ('facts' in page) note('page', 'found')
  else note('page', page.why === 'unreachable' ? 'unreachable' : 'missing', `The website ${page.note}.`)
}

type MirroredPicture = { address: string } | FetchProblem | null

const isNoPicture = (mirrored: MirroredPicture): boolean =>
  mirrored !== null && 'why' in mirrored && mirrored.why === 'none'

/** Stores a copy of the picture. null when there is no picture, or this service stores it already. */
async function mirror(ctx: Context, given: string | null, use: PictureUse, until: number): Promise<MirroredPicture> {
  return given === null || ownPicture(ctx.publicUrl, given) !== null ? null : fetchPicture(ctx, given, use, until)
}

/** Stores copies of the pictures. The first of the addresses is that of the icon. */
async function mirrorAll(ctx: Context, given: readonly (string | null)[], until: number): Promise<MirroredPicture[]> {
  const mirrored: MirroredPicture[] = []
  for (let at = 0; at < given.length; at += PARALLEL_PICTURES) {
    const next = given.slice(at, at + PARALLEL_PICTURES)
    mirrored.push(
      ...(await Promise.all(next.map((address, i) => mirror(ctx, address, at + i === 0 ? 'icon' : 'picture', until)))),
    )
  }
  return mirrored
}

/** Decides about the icon or the main picture. Returns the new value of the field; undefined when it stays unchanged. */
async function settlePicture(
  ctx: Context,
  part: SinglePicture,
  given: string | null,
  mirrored: MirroredPicture,
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
  const whyDropped = mirrored ? `The given address ${mirrored.note}. ` : ''
  const found = await findPicture(ctx, part, page, until)
  if ('address' in found) {
    if (whyDropped) note(part, 'replaced', `${whyDropped}The picture of the site is shown instead.`)
    else note(part, 'found')
    return found.address
  }
  const withoutPicture = whyDropped ? 'dropped' : 'missing'
  note(part, found.why === 'unreachable' ? 'unreachable' : withoutPicture, `${whyDropped}${found.note}`)
  return null
}

/** Looks for the icon or the main picture on the page and stores it: the first address that has a picture counts. */
async function findPicture(
  ctx: Context,
  part: SinglePicture,
  page: Page | null,
  until: number,
): Promise<{ address: string } | FetchProblem> {
  // The outcome of the part `page` already says why the site could not be read, and decides whether the job is tried again.
  if (!page || 'why' in page) return { why: 'none', note: 'The site could not be asked.' }
  const problem: FetchProblem = { why: 'none', note: 'The site has none.' }
  const addresses = part === 'icon' ? await iconAddresses(ctx, page.facts, until) : page.facts.sharePictures
  for (const address of addresses) {
    const fetched = await fetchPicture(ctx, address, part === 'icon' ? 'icon' : 'picture', until)
    if ('address' in fetched) return fetched
    problem.note = `The site's picture ${fetched.note}.`
    if (fetched.why === 'unreachable') problem.why = 'unreachable'
  }
  return problem
}

/** Returns the new screenshots: copies, and the given addresses that may be tried again or kept. */
function settleScreenshots(given: readonly string[], mirrored: readonly MirroredPicture[], note: Note): string[] {
  return given.flatMap((address, i) => {
    const picture = mirrored[i] ?? null
    const part = `screenshots.${i}`
    if (picture === null) return address
    if ('address' in picture) {
      note(part, 'mirrored')
      return picture.address
    }
    const outcome = { none: 'dropped', denied: 'kept', unreachable: 'unreachable' } as const
    note(part, outcome[picture.why], `The given address ${picture.note}.`)
    return picture.why === 'none' ? [] : address
  })
}

interface NeededTexts {
  /** Whether a text is needed: it is empty, or was derived by an earlier attempt that could not read the site. */
  needs: Record<TextField, boolean>
  derived: Pick<EnrichedFields, TextField>
  described: DescribedTool
  /** Removes the founder's e-mail address from all texts in the value. */
  withoutEmail<T>(value: T): T
}

async function neededTexts(ctx: Context, tool: EnrichedTool, declined: readonly TextField[]): Promise<NeededTexts> {
  const withoutEmail = <T>(value: T): T => mapTexts(value, (text) => withoutFounderEmail(text, tool.founderEmail))
  const { name, tagline, description, pricing } = tool
  const terms = await findTermNames(ctx.db, tool.category, tool.tags)
  const described = withoutEmail({ name, tagline, description, pricing, ...terms })
  const derived = { faqs: withoutEmail(deriveQuestions(described)), features: withoutEmail(deriveFeatures(described)) }
  const isNeeded = (field: TextField) =>
    !declined.includes(field) &&
    (Object.keys(tool[field]).length === 0 || isDeepStrictEqual(tool[field], derived[field]))
  return { needs: { faqs: isNeeded('faqs'), features: isNeeded('features') }, derived, described, withoutEmail }
}

const SITE_NOT_READ = 'Made from description and tags: the website could not be asked.'

/** Writes derived texts. If the site answers a later attempt, that attempt replaces texts that are still the derived ones. */
function settleDerived({ needs, derived }: NeededTexts, { fields }: Findings, note: Note): void {
  if (needs.faqs) fields.faqs = derived.faqs
  if (needs.features) fields.features = derived.features
  for (const field of TEXT_FIELDS) if (needs[field]) noteMade(note, field, derived[field], 'derived', SITE_NOT_READ)
}

function noteMade(note: Note, field: TextField, made: object, outcome: PartOutcome, how: string): void {
  if (Object.keys(made).length > 0) note(field, outcome, how)
  else note(field, 'missing', 'There is nothing to make any from.')
}

async function settleTexts(
  ctx: Context,
  { needs, described, withoutEmail }: NeededTexts,
  facts: PageFacts | null,
  { fields }: Findings,
  note: Note,
): Promise<void> {
  const questions = facts?.questions ?? []
  const features = facts?.features ?? {}
  const hasFeatures = Object.keys(features).length > 0
  if (needs.faqs && questions.length > 0) {
    fields.faqs = withoutEmail(questions)
    note('faqs', 'found')
  }
  if (needs.features && hasFeatures) {
    fields.features = withoutEmail(features)
    note('features', 'found')
  }
  const lacks = { faqs: needs.faqs && !fields.faqs, features: needs.features && !fields.features }
  if (!lacks.faqs && !lacks.features) return
  const written = await writeMissing(ctx, described, withoutEmail(facts?.text ?? ''))
  const made = { faqs: withoutEmail(written.questions), features: withoutEmail(written.features) }
  if (lacks.faqs) fields.faqs = made.faqs
  if (lacks.features) fields.features = made.features
  for (const field of TEXT_FIELDS) if (lacks[field]) noteMade(note, field, made[field], written.outcome, written.note)
}
