// The processor time that the main thread of a service takes for a call: for the call itself, for what it does after the answer, and for
// the reads that follow; all of it, and the longest stop of the thread. A call with a hostile content is compared with the same call with
// plain words. Work that is done in small steps beside requests may take longer than a stop.
import { appendFileSync } from 'node:fs'
import { CONTENTS, type Content, PLAIN } from './contents.ts'
import type { Reply } from './service.ts'
import type { WatchedService } from './watched-service.ts'

/** One way for texts to get into the service. */
export interface Way {
  name: string
  /** The fields that take a text. */
  fields: readonly string[]
  /** What must be there before; not measured. */
  prepare?(): Promise<void>
  /** Sends the content in the named fields; all others are plain. */
  send(content: Content, fields: readonly string[]): Promise<Pick<Reply, 'status' | 'text'> & { body?: any }>
  /** Waits for what is done later, and reads what readers read next. */
  after?(reply: { body?: any }): Promise<unknown>
}

export const MOST_ABOVE_MS = 80
const MOST_IN_STEPS_MS = 500
/**
 * Up to this time above plain words a content is not measured again alone, when nothing else is left to do; and no field is tried alone,
 * at its own greatest size.
 */
const SUSPECT_MS = 60
/** No other work of a machine takes so much processor time of one thread: it is not measured again. */
const CERTAIN_MS = 1_000

const ONLY = new RegExp(process.env.GREATEST_TEXTS ?? '')
export const isChosen = (name: string): boolean => ONLY.test(name)
const USED = CONTENTS.filter(({ name }) => new RegExp(process.env.GREATEST_CONTENTS ?? '').test(name))
/**
 * The ways by which most texts come get every content. Another way gets every third, beginning with another one than the way before it:
 * it leads to the same checks, index and pages. With GREATEST_ALL=1 every way gets every content, which takes an hour.
 */
const MAIN =
  /^(?:search_tools|search_directories|submit_ai_tool|ask_support|put_(?:tool|directory|site|collection)|import_catalog, (?:tool|directory)|page of)/
const contentsFor = (way: Way, place: number): readonly Content[] =>
  process.env.GREATEST_ALL || MAIN.test(way.name) ? USED : USED.filter((_, i) => (i + place) % 3 === 0)
/** The chosen ways by name; several may have one, one for each parameter. */
export const named = (ways: readonly Way[]): [string, Way[]][] => [
  ...Map.groupBy(
    ways.filter(({ name }) => isChosen(name)),
    ({ name }) => name,
  ),
]

interface Costs {
  /** Sends contents through the ways, and says which take too long, in which field. */
  tooLong(ways: readonly Way[], contents?: readonly Content[]): Promise<string[]>
  /** By content and by way: the longest time above the plain one. */
  table(): string
}

interface Above {
  above: number
  /** The longest stop, above that with plain words. */
  stop: number
  fields: readonly string[]
}

interface Accepted {
  ms: number
  stop: number
  fields: readonly string[]
}

const isTooLong = ({ above, stop }: Pick<Above, 'above' | 'stop'>): boolean =>
  stop > MOST_ABOVE_MS || above > MOST_IN_STEPS_MS

export function createCosts(service: () => WatchedService): Costs {
  let place = 0
  const measured: { way: string; content: string; ms: number }[] = []
  const never: string[] = []
  const failures: string[] = []

  type Meter = 'idle' | 'used'
  async function cost(way: Way, content: Content, fields: readonly string[], meter: Meter = 'idle') {
    await way.prepare?.()
    const before = await service()[meter]()
    await service().longestStop()
    const reply = await way.send(content, fields)
    if (reply.status < 400) await way.after?.(reply)
    const ms = (await service()[meter]()) - before
    return { ms, stop: await service().longestStop(), reply }
  }

  /** The cost with as many of the fields as are accepted with this content; null if none is. */
  async function accepted(
    way: Way,
    content: Content,
    fields: readonly string[],
    meter?: Meter,
  ): Promise<Accepted | null> {
    let left = fields
    for (let tries = 0; left.length > 0 && tries < 6; tries++) {
      const { ms, stop, reply } = await cost(way, content, left, meter)
      if (reply.status < 400) return { ms, stop, fields: left }
      if (reply.status >= 500)
        failures.push(`${way.name}: ${content.name}: ${reply.status} ${reply.text.slice(0, 200)}`)
      const error = String(reply.body?.error ?? '')
      const named = left.filter((field) => new RegExp(`(?:^|[^\\w])${field}\\b`).test(error))
      if (named.length > 0) left = left.filter((field) => !named.includes(field))
      else if (left.length === 1) left = []
      else left = await alone(way, content, left, meter)
    }
    return null
  }

  async function alone(way: Way, content: Content, fields: readonly string[], meter?: Meter): Promise<string[]> {
    const kept: string[] = []
    for (const field of fields) if ((await cost(way, content, [field], meter)).reply.status < 400) kept.push(field)
    return kept
  }

  /** The middle one of three with plain words, and the fields that take words at all. */
  async function plainCost(way: Way): Promise<Accepted | null> {
    const first = await accepted(way, PLAIN, way.fields)
    if (!first) return null
    const times = [first, await cost(way, PLAIN, first.fields), await cost(way, PLAIN, first.fields)]
    const [ms, stop] = (['ms', 'stop'] as const).map((one) => times.map((time) => time[one]).sort((a, b) => a - b)[1]!)
    return { ms: ms!, stop: stop!, fields: first.fields }
  }

  /** The least of three; with the cost of plain words measured again, because what is stored has grown meanwhile. */
  async function best(way: Way, content: Content, fields: readonly string[], plain: Accepted): Promise<Above | null> {
    let found: Above | null = null
    for (let i = 0; i < 3; i++) {
      const again = await accepted(way, content, found?.fields ?? fields)
      if (!again) return found
      const now: Above = { above: again.ms - plain.ms, stop: again.stop - plain.stop, fields: again.fields }
      const least: Above = found ?? now
      found = { ...now, above: Math.min(now.above, least.above), stop: Math.min(now.stop, least.stop) }
      if (!isTooLong(found) || found.stop > CERTAIN_MS) return found
      const words = await accepted(way, PLAIN, again.fields)
      found.above = Math.min(found.above, again.ms - (words?.ms ?? plain.ms))
    }
    return found
  }

  async function tooLongOf(way: Way, contents: readonly Content[]): Promise<string[]> {
    const plain = await plainCost(way)
    if (!plain) {
      never.push(`${way.name}: ${way.fields.join(', ')}`)
      return failures.splice(0)
    }
    const dropped = way.fields.filter((field) => !plain.fields.includes(field))
    if (dropped.length > 0) never.push(`${way.name}: ${dropped.join(', ')}`)
    const taken = new Set<string>()
    const found: string[] = []
    const note = (content: Content, { fields, above: ms, stop }: Above) => {
      for (const field of fields) taken.add(field)
      const part = fields.length > 1 ? 'all at once' : fields[0]
      measured.push({ way: `${way.name} (${part})`, content: content.name, ms })
      if (isTooLong({ above: ms, stop }) && fields.length === 1)
        found.push(
          `${way.name}: ${content.name} in ${part}: ${Math.round(ms)} ms above plain, a stop of ${Math.round(stop)}`,
        )
    }

    /** One content with all fields; with each field alone if that takes long. */
    async function single(content: Content): Promise<void> {
      const result = await best(way, content, plain!.fields, plain!)
      if (!result) return
      note(content, result)
      if (result.above <= SUSPECT_MS || result.fields.length === 1) return
      for (const field of result.fields) {
        const alone = await best(way, content, [field], plain!)
        if (alone) note(content, alone)
      }
    }

    // What a call leaves to be done later falls into the time of the next ones: those before a suspect are suspects too.
    const suspects = new Set<Content>()
    await service().idle()
    for (const [i, content] of contents.entries()) {
      const first = await accepted(way, content, plain.fields, 'used')
      if (!first) continue
      const above = first.ms - plain.ms
      if (above > SUSPECT_MS) for (const one of contents.slice(Math.max(0, i - 2), i + 1)) suspects.add(one)
      else note(content, { above: Math.max(0, above), stop: 0, fields: first.fields })
    }
    for (const content of suspects) await single(content)
    if (process.env.GREATEST_LOG) {
      const tops = measured.filter((one) => one.way.startsWith(way.name)).sort((a, b) => b.ms - a.ms)
      const lines = tops.slice(0, 5).map((one) => `${Math.round(one.ms)} ms ${one.content} in ${one.way}`)
      appendFileSync(
        process.env.GREATEST_LOG,
        `${[`${way.name}, plain ${Math.round(plain.ms)} ms`, ...lines].join('\n  ')}\n`,
      )
    }
    for (const field of plain.fields) if (!taken.has(field)) never.push(`${way.name}: ${field} (only plain)`)
    return [...found, ...failures.splice(0)]
  }

  function table(): string {
    const longest = (by: 'way' | 'content', of: 'way' | 'content') =>
      Object.entries(Object.groupBy(measured, (one) => one[by]))
        .map(([name, own]) => ({ name, top: own!.reduce((a, b) => (b.ms > a.ms ? b : a)) }))
        .sort((a, b) => b.top.ms - a.top.ms)
        .map(({ name, top }) => `| ${name} | ${Math.round(top.ms)} | ${top[of]} |`)
    return [
      '| Content | longest, ms above plain | in |\n|---|---|---|',
      ...longest('content', 'way'),
      '\n| Way | longest, ms above plain | with |\n|---|---|---|',
      ...longest('way', 'content'),
      `\n${measured.length} measured. Fields that take no free text:`,
      ...never.map((line) => `- ${line}`),
      '',
    ].join('\n')
  }

  return {
    async tooLong(ways, contents) {
      const found: string[] = []
      for (const way of ways) found.push(...(await tooLongOf(way, contents ?? contentsFor(way, place++))))
      return found
    },
    table,
  }
}
