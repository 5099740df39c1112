// The table that a run prints at its end.

type Line = { section: string } | { name: string; value: string; target: string; mark: string }

const lines: Line[] = []
let failed = false

export function section(title: string): void {
  lines.push({ section: title })
}

export function row(name: string, value: string, target: string, isMet: boolean): void {
  failed ||= !isMet
  lines.push({ name, value, target, mark: isMet ? 'ok' : 'MISSED' })
}

export function information(name: string, value: string): void {
  lines.push({ name, value, target: '', mark: '' })
}

export function skipped(name: string, why: string): void {
  lines.push({ name, value: `skipped: ${why}`, target: '', mark: '' })
}

/** Whether a target was missed. */
export const missed = (): boolean => failed

export function printResults(): void {
  const rows = lines.filter((line) => 'name' in line)
  const width = (field: 'name' | 'value' | 'target') => Math.max(...rows.map((line) => line[field].length))
  const [name, value, target] = [width('name'), width('value'), width('target')]
  for (const line of lines) {
    if ('section' in line) console.log(`\n${line.section}`)
    else
      console.log(
        `  ${line.name.padEnd(name)}  ${line.value.padEnd(value)}  ${line.target.padEnd(target)}  ${line.mark}`.trimEnd(),
      )
  }
}

export const milliseconds = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 1)} ms`
