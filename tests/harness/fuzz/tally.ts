/** Counts the statuses of each operation's answers. */
export function tally() {
  const counts = new Map<string, Map<number, number>>()
  const sum = (name: string, counted: (status: number) => boolean) =>
    [...(counts.get(name) ?? [])].reduce((all, [status, count]) => all + (counted(status) ? count : 0), 0)
  const of = (name: string) => sum(name, () => true)
  return {
    add(name: string, status: number) {
      const own = counts.get(name) ?? new Map<number, number>()
      counts.set(name, own.set(status, (own.get(status) ?? 0) + 1))
    },
    of,
    successes: (name: string) => sum(name, (status) => status < 300),
    total: () => [...counts.keys()].reduce((all, name) => all + of(name), 0),
    /** A table for the test's output. */
    table(): string {
      const statuses = [...new Set([...counts.values()].flatMap((own) => [...own.keys()]))].sort()
      const row = (name: string, cells: readonly unknown[]) =>
        name.padEnd(40) + cells.map((cell) => String(cell).padStart(7)).join('')
      return [
        row('operation', ['cases', ...statuses]),
        ...[...counts]
          .sort(([a], [b]) => a.localeCompare(b))
          .map(([name, own]) => row(name, [of(name), ...statuses.map((status) => own.get(status) ?? '')])),
      ].join('\n')
    },
  }
}
