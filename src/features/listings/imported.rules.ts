/** What an import stored; the rest of `imported` existed with the same values. */
export interface Imported {
  imported: number
  created: number
  replaced: number
}

/** What an import did, in words: what existed is told apart, because a row may have replaced another product of the same name. */
export function importedWords({ imported, created, replaced }: Imported): string {
  const entries = `Imported ${counted(imported)} ${imported === 1 ? 'entry' : 'entries'}`
  if (created === imported) return entries
  const same = imported - created - replaced
  const parts = [
    [created, 'new'],
    [replaced, 'replaced'],
    [same, 'unchanged'],
  ] as const
  return `${entries} (${parts.flatMap(([count, word]) => (count > 0 ? [`${counted(count)} ${word}`] : [])).join(', ')})`
}

const counted = (count: number): string => count.toLocaleString('en')
