// The dashboard and the alerts name only metrics, labels and states that the service has.
// @module-tag slow
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const read = (path: string) => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8')

let text: string
const service = useService()
beforeAll(async () => {
  await service.rest('/tools')
  text = (await service.fetch('/metrics', { key: ADMIN_TOKEN })).text
})

const panels: { title: string; targets: { expr: string }[] }[] = JSON.parse(read('grafana/catalog.json')).panels
const rules: { alert: string; expr: string; annotations: Record<string, string> }[] = parse(
  read('prometheus/alerts.yml'),
).groups.flatMap((group: { rules: unknown[] }) => group.rules)
const EXPRESSIONS = [
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
]

test.each(EXPRESSIONS)('%s: every metric exists', (_, expression) => {
  const names = [...expression.matchAll(/\b(?:catalog|process|nodejs)_\w+/g)].map(([name]) => name)
  const declared = new Set(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name!],
    ),
  )
  expect(names.filter((name) => !declared.has(name))).toEqual([])
  expect(names.length > 0 || expression.startsWith('up{')).toBe(true)
})

test.each(EXPRESSIONS)('%s: every label that chooses or groups is one of the metric', (_, expression) => {
  const labels = [
    ...[...expression.matchAll(/(?:catalog|process|nodejs)_\w+\{(\w+)[=!]/g)].map(([, label]) => label!),
    ...[...expression.matchAll(/by \(([^)]+)\)/g)].flatMap(([, list]) => list!.split(', ')),
  ]
  const [name] = /\bcatalog_\w+/.exec(expression) ?? []
  const samples = text.split('\n').filter((line) => name && line.startsWith(`${name}{`))
  // Prometheus adds instance itself; a metric without a sample yet says nothing about its labels.
  for (const label of labels.filter((label) => label !== 'instance'))
    if (samples.length > 0) expect(samples[0]).toContain(`${label}="`)
})

test('every alert says what happened and what to do', () => {
  for (const { annotations } of rules) expect(Object.keys(annotations)).toEqual(['summary', 'action'])
})

/** The rules of `promtool check metrics`. */
test('every metric has a help text and a type, and only counters end in _total', () => {
  const names = (what: string) => [...text.matchAll(new RegExp(`^# ${what} (\\w+) (.+)$`, 'gm'))]
  const types = new Map(names('TYPE').map(([, name, type]) => [name!, type!]))
  expect(names('HELP').map(([, name]) => name)).toEqual([...types.keys()])
  for (const [, name, help] of names('HELP')) expect([name, help!.length > 5]).toEqual([name, true])
  for (const [name, type] of types) {
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter'])
    expect(name).toMatch(/^[a-z_][a-z0-9_]*$/)
    expect(name).not.toMatch(
      /_(bucket|sum|count|milliseconds|minutes|hours|kilobytes|megabytes)$|_(counter|gauge|histogram)(_|$)/,
    )
  }
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'process_start_time_seconds'])
    expect(types.has(name)).toBe(true)
  const samples = text.split('\n').filter((line) => line && !line.startsWith('#'))
  const family = (line: string) => /^\w+/.exec(line)![0]
  for (const line of samples)
    expect([line, types.has(family(line)) || types.has(family(line).replace(/_(bucket|sum|count)$/, ''))]).toEqual([
      line,
      true,
    ])
})
