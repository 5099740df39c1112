// Listings that stay true: how often the comparison of a listing with its product is right, on pages with planted changes.
//   node bench/drift.ts                   200 pages
//   node bench/drift.ts --pages 1000      more of them
//   node bench/drift.ts --save FOLDER     writes the pages there, to look at them
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { websiteKey } from '../src/features/listings/website-key.ts'
import { type CurrentProduct, driftAfterLinkSearch, storedDrift } from '../src/features/proof/links/drift.rules.ts'
import { readListingPage } from '../src/features/proof/links/page.rules.ts'
import { isThere } from '../src/features/proof/rules.ts'
import type { Drift, DriftField } from '../src/features/submissions/bench/link.rules.ts'
import { type DriftPage, driftPages } from './drift-pages.ts'
import { information, missed, printResults, row, section } from './table.ts'

export interface Score {
  /** Fields that were found and are wrong on the page, found and right, and wrong but not found. */
  right: number
  wrong: number
  overlooked: number
}

/** What the second look finds, after the product has changed; the first one was made when the page was new. */
function foundDrift(page: DriftPage): DriftField[] {
  const { directoryTagline = null } = storedDrift(driftWith(page, page.listed), { former: [], product: page.listed })
  return driftWith(page, { ...page.product, directoryTagline }).map(({ field }) => field)
}

function driftWith({ url, html, websites, target }: DriftPage, product: CurrentProduct): Drift[] {
  const bytes = Buffer.from(html)
  const response = {
    url,
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    bytes,
    truncated: false,
  }
  const { state, drift = [] } = readListingPage(response, websites.map(websiteKey), { product })
  const isFound = isThere(state) || target !== null
  return driftAfterLinkSearch(drift, isFound, target === null ? null : new URL(target), product)
}

export interface Compared {
  page: DriftPage
  found: DriftField[]
}

export const compare = (pages: readonly DriftPage[]): Compared[] =>
  pages.map((page) => ({ page, found: foundDrift(page) }))

export function scoreOf(compared: readonly Compared[], only?: DriftField): Score {
  const score = { right: 0, wrong: 0, overlooked: 0 }
  for (const { page, found: all } of compared) {
    const found = new Set(all.filter((field) => !only || field === only))
    const planted = new Set(page.planted.filter((field) => !only || field === only))
    score.right += found.intersection(planted).size
    score.wrong += found.difference(planted).size
    score.overlooked += planted.difference(found).size
  }
  return score
}

export const precisionOf = ({ right, wrong }: Score): number => (right + wrong === 0 ? 1 : right / (right + wrong))
export const recallOf = ({ right, overlooked }: Score): number =>
  right + overlooked === 0 ? 1 : right / (right + overlooked)

const percent = (share: number) => `${(100 * share).toFixed(1)} %`
const lineOf = (score: Score) =>
  `precision ${percent(precisionOf(score))}, recall ${percent(recallOf(score))} (${score.right} right, ${score.wrong} wrong, ${score.overlooked} overlooked)`

function show(pages: readonly DriftPage[]): void {
  section(`Listings compared with their products: ${pages.length} pages`)
  const compared = compare(pages)
  for (const field of ['name', 'tagline', 'pricing', 'website'] as const)
    information(field, lineOf(scoreOf(compared, field)))
  for (const [template, some] of Map.groupBy(compared, ({ page }) => page.template))
    information(template, lineOf(scoreOf(some)))
  const all = scoreOf(compared)
  row('Precision', percent(precisionOf(all)), 'at least 95 %', precisionOf(all) >= 0.95)
  row('Recall', percent(recallOf(all)), 'at least 85 %', recallOf(all) >= 0.85)
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      pages: { type: 'string', default: '200' },
      seed: { type: 'string', default: '32' },
      save: { type: 'string' },
    },
  })
  const pages = driftPages(Number(values.pages), Number(values.seed))
  const folder = values.save
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true })
    for (const [at, { html, planted }] of pages.entries())
      writeFileSync(join(folder, `${at}-${planted.join('-') || 'true'}.html`), html)
  }
  show(pages)
  printResults()
  process.exitCode = missed() ? 1 : 0
}
