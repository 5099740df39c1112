// Searches that were not sent before, one after the other on one connection: keywords, sentences, single letters and input that no person types.
import { randomFrom, zipfWord } from './catalog.ts'
import { type Client, percentile } from './load.ts'
import type { Server } from './processes.ts'
import { variedSearches } from './queries.ts'
import { information, milliseconds, row, section } from './table.ts'

const PATH = '/api/v1/tools'
const WARM = 50

interface Answered {
  ms: number
  search: string
  status: number
  total: number
}

async function askAll(client: Client, searches: Iterable<string>): Promise<Answered[]> {
  const answers: Answered[] = []
  for (const search of searches) {
    const { ms, status, body } = await client.send(`${PATH}?${search}`)
    const total = status === 200 ? JSON.parse(body.toString()).pagination.total : 0
    answers.push({ ms, search, status, total })
  }
  return answers
}

/** Asks, and prints the times and the longest stop of the server's event loop. `p95` and `slowest` are limits in milliseconds. */
async function measure(
  server: Server,
  client: Client,
  title: string,
  searches: readonly string[],
  { p95, slowest }: { p95?: number; slowest?: number },
): Promise<void> {
  await server.ask({ ask: 'watch' })
  const processorBefore = await server.ask<number>({ ask: 'processor' })
  const answers = await askAll(client, searches)
  const processor = (await server.ask<number>({ ask: 'processor' })) - processorBefore
  const stall = await server.ask<number>({ ask: 'stalls' })
  const times = answers.map(({ ms }) => ms)
  const last = answers.reduce((a, b) => (b.ms > a.ms ? b : a))
  section(`First-time searches: ${answers.length} ${title}`)
  information('p50', milliseconds(percentile(times, 50)))
  limited('p95', percentile(times, 95), p95)
  information('p99', milliseconds(percentile(times, 99)))
  information('processor time of all threads for each', milliseconds(processor / answers.length / 1000))
  limited('slowest', last.ms, slowest, ` (${last.search.slice(0, 60)}: ${last.total} found)`)
  limited("longest stop of the server's event loop", stall, 50)
  information('found something', `${answers.filter(({ total }) => total > 0).length} of ${answers.length}`)
  const failed = answers.filter(({ status }) => status >= 500)
  if (failed.length > 0) row('failed', `${failed.length} (${failed[0]!.search.slice(0, 60)})`, '0', false)
}

function limited(name: string, ms: number, limit: number | undefined, more = ''): void {
  if (limit === undefined) information(name, milliseconds(ms) + more)
  else row(name, milliseconds(ms) + more, `≤ ${limit} ms`, ms <= limit)
}

const queries = (texts: Iterable<string>): string[] => [...texts].map((q) => new URLSearchParams({ q }).toString())

/** One to three words, some cut short or misspelt, with filters and pages. */
export async function measureVaried(server: Server, client: Client, listings: number): Promise<void> {
  const searches = variedSearches(1)
  await askAll(client, searches.take(WARM))
  await measure(server, client, 'varied', [...variedSearches(1).drop(WARM).take(800)], {
    p95: 25,
    slowest: listings > 100_000 ? 50 : 10,
  })
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const pairs = letters.flatMap((first) => [...'aeiorst'].map((second) => first + second))
  await measure(server, client, 'letters and pairs of letters', queries([...letters, ...pairs]), {
    slowest: listings > 100_000 ? 50 : 10,
  })
}

/** Fifteen words, as agents ask. */
export async function measureSentences(server: Server, client: Client, listings: number): Promise<void> {
  const random = randomFrom(77)
  const sentence = () => {
    const words = Array.from({ length: 11 }, () => zipfWord(random))
    return `which tool can help ${words.join(' ')}`
  }
  const sentences = (count: number) => queries(Array.from({ length: count }, sentence))
  await askAll(client, sentences(WARM))
  await measure(server, client, 'questions of fifteen words', sentences(400), { p95: listings > 100_000 ? 100 : 25 })
}

const LONGEST = 500

/** Every character of Unicode once, in queries of the greatest length. */
function* allCharacters(): Generator<string> {
  let text = ''
  for (let code = 0; code <= 0x1ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    text += String.fromCodePoint(code)
    if (text.length < LONGEST - 1) continue
    yield text
    text = ''
  }
}

/** What nobody types. None may fail or take long. */
export async function measureBadInput(server: Server, client: Client): Promise<void> {
  const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789']
  const texts = [
    ...letters.map((letter) => letter.repeat(LONGEST)),
    ...letters.map((letter) => `${letter} `.repeat(LONGEST / 2)),
    letters.join(' ').repeat(7).slice(0, LONGEST),
    ...['ab', 'the', 'aa', 'zq', 'tool', 'ai'].map((word) => `${word} `.repeat(LONGEST).slice(0, LONGEST)),
    ...[
      'مرحبا بالعالم أداة ',
      'שלום עולם כלי ',
      '🙂👩‍👩‍👧‍👦🏳️‍🌈 ',
      '\0',
      '\u0301',
      'a\u0301\u0302\u0303',
      '"\'(*:&|!',
      '%_\\',
    ].map((piece) => piece.repeat(LONGEST).slice(0, LONGEST)),
    ...allCharacters(),
  ]
  await measure(server, client, 'that no person types', queries(texts.map((text) => text.toWellFormed())), {
    slowest: 50,
  })
}
