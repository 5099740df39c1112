// Finds stored rows that the service does not load because they are invalid.
import { loadedRows } from '../../features.ts'
import type { LoadedRow } from '../../kernel/feature.ts'
import type { RunSql } from '../../platform/database/postgres.ts'
import { type DoctorFinding, findingsAbout } from './finding.ts'
import { metricsOf } from './network.ts'

const about = findingsAbout('Rows')
const PAGE = 500
const SHOWN = 5
const REMEDY =
  'Readers do not see them. List them with: catalog broken list. Correct each by writing it again (catalog tools put, …), or delete it.'

export async function examineRows(query: RunSql): Promise<DoctorFinding> {
  const shown: string[] = []
  let count = 0
  for (const { kind, select, problem } of loadedRows)
    for await (const row of readInPages(query, select)) {
      const reason = problem(row)
      if (reason === undefined) continue
      count++
      if (shown.length < SHOWN) shown.push(`${kind} ${row.slug ?? row.id} (${reason})`)
    }
  if (count === 0) return about.ok('All that readers are shown are as they must be.')
  const more = count > shown.length ? ` and ${count - shown.length} more` : ''
  return about.warning(
    `${count} ${count === 1 ? 'is' : 'are'} broken and left out: ${shown.join(', ')}${more}.`,
    REMEDY,
  )
}

async function* readInPages(query: RunSql, select: string): AsyncGenerator<LoadedRow> {
  for (let at = 0; ; at += PAGE) {
    const { rows } = await query(`select * from (${select}) as found order by id limit ${PAGE} offset ${at}`)
    for (const row of rows as Record<string, unknown>[]) yield withFieldNames(row)
    if (rows.length < PAGE) return
  }
}

const withFieldNames = (row: Record<string, unknown>): LoadedRow =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      // The driver returns 64-bit numbers as text.
      name === 'opens' ? Number(value) : value,
    ]),
  ) as LoadedRow

const COUNTED = /^catalog_broken_rows\{kind="(\w+)"\} (\d+)$/gm

/** The counts that the running service reports: while it runs, no other process can open its embedded database. */
export async function examineRunningRows(origin: string): Promise<DoctorFinding[]> {
  const counts = [...(await metricsOf(origin)).matchAll(COUNTED)].map(([, kind = '', count]) => ({
    kind,
    count: Number(count),
  }))
  // The service is of an older version without this metric, or does not show its metrics here.
  if (counts.length === 0) return []
  const broken = counts.filter(({ count }) => count > 0)
  if (broken.length === 0)
    return [about.ok('All that readers are shown are as they must be, says the running service.')]
  const named = broken.map(({ kind, count }) => `${kind} ${count}`).join(', ')
  return [about.warning(`The running service leaves out rows that are broken: ${named}.`, REMEDY)]
}
