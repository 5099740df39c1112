/** Counts of an import. */
export interface Imported {
  /** All entries that were accepted, those that already existed with the same values too. */
  imported: number
  created: number
  replaced: number
}

/** The counts in words. Replaced entries are counted separately, because a row may have replaced another product of the same name by mistake. */
export function importedWords({ imported, created, replaced }: Imported): string {
  const entries = `Imported ${format(imported)} ${imported === 1 ? 'entry' : 'entries'}`
  if (created === imported) return entries
  const unchanged = imported - created - replaced
  const parts = [
    [created, 'new'],
    [replaced, 'replaced'],
    [unchanged, 'unchanged'],
  ] as const
  return `${entries} (${parts.flatMap(([count, word]) => (count > 0 ? [`${format(count)} ${word}`] : [])).join(', ')})`
}

const format = (count: number): string => count.toLocaleString('en')
