// Questions as visitors ask them, made from the demo catalog with a fixed seed, and the comparison of what each surface answers.
import { expect } from 'vitest'
import { browseDirectories, browseTools } from '../../src/features/catalog/site/site-search.ts'
import { lines } from '../interop/demo.ts'
import { onBoth } from './both-transports.ts'
import type { TestService } from './service.ts'

const FACTS = {
  tool: ['free', 'freemium', 'paid', 'with a free plan', 'not free', 'for free', 'without paying', ''],
  directory: [
    'free',
    'DoFollow',
    'nofollow',
    'no badge',
    'DR over 60',
    'DR 40+',
    'under $50',
    'not paid',
    'DR below 50',
    '',
  ],
} as const
const ASKING = ['I need a tool for', 'something that does', 'tools for', 'directories with', 'where to list', '', '']
const NEVER = ['zoom', 'raspberrypi', 'zzyzx', 'recordre', 'wrting']

/** The numbers from 0 to 1 of a small generator, so that every run asks the same. */
function* numbersFrom(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    yield state / 2 ** 31
  }
}

export function madeQuestions(count: number): { kind: 'tool' | 'directory'; q: string }[] {
  const numbers = numbersFrom(29)
  const one = <T>(list: readonly T[]): T => list[Math.floor(numbers.next().value * list.length)]!
  const texts = {
    tool: lines('tools.ndjson').map(({ name, tagline, description }) => [name, tagline, description]),
    directory: lines('directories.ndjson').map(({ name, smallDescription }) => [name, smallDescription]),
  }
  return Array.from({ length: count }, (_, at) => {
    const kind = at % 2 === 0 ? 'tool' : 'directory'
    const words = String(one(one(texts[kind])) ?? '').split(/\s+/)
    const from = Math.floor(numbers.next().value * words.length)
    const some = words.slice(from, from + 1 + Math.floor(numbers.next().value * 4)).join(' ')
    const parts = [one(ASKING), one(FACTS[kind]), some, at % 5 === 0 ? one(NEVER) : '', one(FACTS[kind])]
    return { kind, q: parts.filter(Boolean).join(' ') }
  })
}

const OPERATIONS = { tool: 'search_tools', directory: 'search_directories' } as const

export async function expectAgreement(service: TestService, count: number): Promise<void> {
  const ctx = service.context()
  for (const { kind, q } of madeQuestions(count)) {
    const { data, pagination } = await onBoth(service, OPERATIONS[kind], { q, limit: 20 })
    const query = { q, page: 1, limit: 20 }
    const site = kind === 'tool' ? await browseTools(ctx, query) : await browseDirectories(ctx, query)
    const slugs = (list: readonly { slug: string }[]) => list.map(({ slug }) => slug)
    expect([q, site.total, slugs(site.listings)]).toEqual([q, pagination.total, slugs(data)])
  }
}
