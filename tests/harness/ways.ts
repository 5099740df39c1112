// Every operation with a text in its body or its parameters, as a way for texts to get into the service; made from the declarations.
import { setTimeout as sleep } from 'node:timers/promises'
import type { TSchema } from 'typebox'
import { KINDS } from '../../src/features/catalog/schema.ts'
import { bodies } from '../../src/features/listings/schema.ts'
import { operatorOperations, restOperations } from '../../src/features.ts'
import type { RoutedOperation } from '../../src/kernel/operation.ts'
import { exampleOf } from '../../src/kernel/schema.ts'
import type { Content } from './contents.ts'
import type { Way } from './costs.ts'
import type { Schema } from './fuzz/document.ts'
import { chosen, greatestFields, greatestText, type Shape, type TextField, textFields } from './greatest.ts'
import { call } from './mcp.ts'
import { until } from './process.ts'
import { filledPath, type PathValues } from './routes.ts'
import { ADMIN_TOKEN, type Reply } from './service.ts'
import type { WatchedService } from './watched-service.ts'

/** What the ways need of a service that has one of everything. */
export interface Ground {
  service: WatchedService
  /** A site on loopback: a page under /page, a picture under /picture. */
  site: string
  partner: { id: string; key: string }
  key: string
  /** One row of every kind, for paths with parameters. */
  known: PathValues
  /** A new submission with a package; its id in the queue. */
  newWork(): Promise<string>
  /** A product of a founder that waits for review; its id. */
  newReview(): Promise<string>
  /** A correction of a partner that waits for a decision; its id. */
  newProposal(): Promise<string>
  /** A conversation with a reply of a person. */
  newReply(): Promise<{ conversation: string; message: string }>
}

/** The limit of a JSON body and of all headers, less what is around the texts. */
const BODY_BYTES = 255 * 1024
const ADDRESS_BYTES = 14 * 1024
/** The limit of a line, and of the row of a table. */
const LINE_BYTES = 1_000 * 1024

let serial = 0

/** Values of fields that name something that exists. */
const EXISTING: Readonly<Record<string, unknown>> = {
  category: 'writing',
  categories: ['saas'],
  tags: ['api'],
  tools: [],
  directories: ['peak'],
}

/** The required fields, with values that are accepted. */
function baseOf(schema: Schema, { site }: Ground, number: number): Record<string, unknown> {
  const { properties = {}, required = [] } = chosen(schema)
  return Object.fromEntries(
    (required as string[]).map((name) => [
      name,
      name === 'website' ? `${site}/page/${number}` : (EXISTING[name] ?? exampleOf(properties[name])),
    ]),
  )
}

const ended = (row: { state: string; attempts: number } | undefined): boolean =>
  row === undefined || row.state !== 'pending' || row.attempts > 1

/** Until enrichment of the tool has ended, or its first attempt has. */
export const enriched = ({ service }: Ground, id: string): Promise<void> =>
  until(async () => {
    // Every look takes time of the main thread, which is measured.
    await sleep(400)
    const { data } = (await service.admin('GET', '/enrichments?limit=20')).body
    return ended(data.find(({ toolId }: { toolId: string }) => toolId === id))
  }, 300_000)

/** What readers ask for next: after a change of the catalog, one of what most of them ask for, in turn. */
async function readOn({ service, key }: Ground, isCatalog: boolean, ...pages: string[]): Promise<void> {
  const common = ['/api/v1/tools?q=image', '/api/v1/tags?q=a', '/search/suggestions?q=zz', '/tools']
  for (const path of isCatalog ? [common[serial % common.length]!, ...pages] : pages)
    await service.fetch(path, {
      key: path.startsWith('/api/admin') ? ADMIN_TOKEN : path.startsWith('/api') ? key : null,
    })
}

/** What a few operations need before each call, beyond what is there already. */
type Preparation = (ground: Ground) => Promise<{ known?: PathValues; body?: object }>
const PREPARED: Readonly<Record<string, Preparation>> = {
  submit_ai_tool: async () => ({ body: { features: {}, faq: [] } }),
  complete_submission: async (ground) => ({ known: { submissions: await ground.newWork() } }),
  make_article_of_reply: async (ground) => {
    const { conversation, message } = await ground.newReply()
    return { known: { conversations: conversation }, body: { messageId: message } }
  },
  decide_review: async (ground) => ({ known: { reviews: await ground.newReview() } }),
  decide_proposal: async (ground) => ({ known: { proposals: await ground.newProposal() } }),
}

const CATALOG = /^\/(?:tools|directories|categories|tags|directory-categories|collections|site|submit-ai-tool)/
const MADE_BY_NAME = new Set(['tools', 'directories', 'categories', 'tags', 'directory-categories', 'collections'])

/** The path, with a new slug where the operation makes what it names. */
function pathOf(
  operation: RoutedOperation,
  known: PathValues,
  content: Content,
  fields: readonly string[],
  number: number,
): string {
  const [, first] = operation.path.split('/')
  const isNew = operation.method === 'PUT' && MADE_BY_NAME.has(first!) && operation.path.split('/').length === 3
  if (isNew) return `/${first}/worst-${number}`
  const last = /:(name|title)$/.exec(operation.path)?.[1]
  if (!last) return filledPath(operation.path, known)
  const { maxLength } = operation.parameters.properties[last] as Schema
  const text = fields.includes(last)
    ? greatestText(content, maxLength).slice(0, maxLength).toWellFormed()
    : `Name ${number % 20}`
  return operation.path.replace(`:${last}`, encodeURIComponent(text))
}

const withBody = (operation: RoutedOperation): boolean =>
  Boolean(operation.body) && !operation.lines && !operation.bytes

interface Variant {
  label: string
  shape: Shape
  names: string[]
}

/** Texts with many short and with few long entries, and addresses apart from them, because many are fetched. */
function variantsOf(fields: readonly TextField[]): Variant[] {
  const namesOf = (own: readonly TextField[]) => own.map(({ name }) => name)
  const addresses = fields.filter(({ isAddress }) => isAddress)
  const texts = fields.filter(({ isAddress }) => !isAddress)
  const shapes: Variant[] = texts.some(({ isCollection }) => isCollection)
    ? (['many', 'long'] as const).map((shape) => ({ label: `, ${shape} entries`, shape, names: namesOf(texts) }))
    : [{ label: '', shape: 'long', names: namesOf(texts) }]
  const apart: Variant = { label: ', addresses', shape: 'many', names: namesOf(addresses) }
  return [...(texts.length > 0 ? shapes : []), ...(addresses.length > 0 ? [apart] : [])]
}

/** Writes: the body at its greatest size. */
function writeWays(ground: () => Ground, operation: RoutedOperation, prefix: string): Way[] {
  const schema = operation.body as Schema
  const own = textFields(schema)
  const named = /:(name|title)$/.exec(operation.path)?.[1]
  const hasRead = operatorOperations.some(({ method, path }) => method === 'GET' && path === operation.path)
  return variantsOf(own).map(({ label, shape, names }): Way => {
    let prepared: Awaited<ReturnType<Preparation>> = {}
    let path = ''
    return {
      name: `${operation.name}${label}`,
      fields: [...names, ...(named ? [named] : [])],
      async prepare() {
        prepared = (await PREPARED[operation.name]?.(ground())) ?? {}
      },
      async send(content, fields) {
        const at = ground()
        const number = ++serial
        const maker = { content, shape, site: at.site, serial: number, bytes: BODY_BYTES }
        const body = {
          ...baseOf(schema, at, number),
          ...prepared.body,
          ...greatestFields(
            schema,
            fields.filter((name) => name !== named),
            maker,
          ),
        }
        path = `${prefix}${pathOf(operation, { ...at.known, ...prepared.known }, content, fields, number)}`
        const held = operation.access === 'operator' ? ADMIN_TOKEN : at.partner.key
        return at.service.fetch(path, { method: operation.method, key: held, body })
      },
      async after({ body }) {
        const at = ground()
        // With texts alone nothing is left for enrichment to make.
        if (operation.name === 'submit_ai_tool' && label === ', addresses') await enriched(at, body.data.id)
        const slug: string | undefined = body?.data?.slug
        const isDirectory = operation.path.startsWith('/directories')
        await readOn(
          at,
          CATALOG.test(operation.path),
          ...(hasRead ? [path] : []),
          ...(slug ? [`/${isDirectory ? 'directories' : 'tools'}/${slug}`] : []),
          ...(operation.name === 'put_site' ? ['/', '/about', '/contact', '/privacy', '/terms', '/submit'] : []),
          ...(operation.name === 'put_collection' ? ['/collections', `/collections/${slug}`] : []),
        )
      },
    }
  })
}

const freeParameters = ({ parameters, path }: RoutedOperation): string[] =>
  Object.entries<Schema>(parameters.properties)
    .filter(([name, schema]) => schema.type === 'string' && !schema.enum && !path.includes(`:${name}`))
    .map(([name]) => name)

/** Reads: one parameter at a time, because a filter that fits nothing would leave a search nothing to do. */
function readWays(ground: () => Ground, operation: RoutedOperation, prefix: string): Way[] {
  return freeParameters(operation).flatMap((name): Way[] => {
    const { maxLength = 200 } = operation.parameters.properties[name] as Schema
    const others = Object.fromEntries(
      (operation.parameters.required ?? [])
        .filter((one: string) => one !== name && !operation.path.includes(`:${one}`))
        .map((one: string) => [one, String(exampleOf(operation.parameters.properties[one] as TSchema))]),
    )
    const over = (send: (at: Ground, text: string) => Promise<Reply>, bytes: number, how = ''): Way => ({
      name: `${operation.name}${how}`,
      fields: [name],
      send: (content) => send(ground(), fitted(content, maxLength, bytes)),
    })
    const ways = [
      over(({ service, key, partner, known }, text) => {
        const held = operation.access === 'operator' ? ADMIN_TOKEN : operation.access === 'partner' ? partner.key : key
        const query = new URLSearchParams({ ...others, [name]: text })
        return service.fetch(`${prefix}${filledPath(operation.path, known)}?${query}`, { key: held })
      }, ADDRESS_BYTES),
    ]
    if (operation.tool)
      ways.push(
        over(
          async ({ service, key }, text) => {
            const reply = await service.fetch('/mcp', {
              method: 'POST',
              key,
              headers: { accept: 'application/json, text/event-stream' },
              body: call(operation.name, { ...others, [name]: text }),
            })
            return reply.body?.result?.isError ? { ...reply, status: 400 } : reply
          },
          BODY_BYTES,
          ' over MCP',
        ),
      )
    return ways
  })
}

/** A text of at most so many bytes in an address. */
function fitted(content: Content, maxLength: number, bytes: number): string {
  for (let length = maxLength; ; length = Math.floor(length * 0.8)) {
    const text = greatestText(content, length)
    if (encodeURIComponent(text).length <= bytes) return text
  }
}

const FORMATS = ['csv', 'tsv', 'json'] as const

/** Lines and tables: every kind of entry in every format. */
function importWays(ground: () => Ground): Way[] {
  const post = (path: string, type: string, body: string) =>
    ground().service.fetch(`/api/admin${path}`, { method: 'POST', key: ADMIN_TOKEN, type, body })
  return KINDS.flatMap((kind): Way[] => {
    const schema = bodies[kind] as Schema
    const own = textFields(schema)
    const singles = own.filter(({ isCollection }) => !isCollection).map(({ name }) => name)
    const after = async () =>
      readOn(ground(), true, `/api/admin/${pathOfKind(kind)}/${slugNow()}`, `/${pathOfKind(kind)}/${slugNow()}`)
    const entry = (content: Content, fields: readonly string[], shape: Shape, bytes: number) => ({
      slug: slugNow(),
      ...baseOf(schema, ground(), serial),
      ...greatestFields(schema, fields, { content, shape, site: ground().site, serial, bytes }),
    })
    const prepare = async () => {
      serial++
    }
    // A line may have a megabyte: only the last few stay stored.
    const slugNow = () => `imported-${kind.toLowerCase()}-${serial % 8}`
    const lines = variantsOf(own).map(
      ({ label, shape, names }): Way => ({
        name: `import_catalog, ${kind}${label}`,
        fields: names,
        prepare,
        send: (content, fields) =>
          post(
            '/import',
            'application/x-ndjson',
            `${JSON.stringify({ kind, ...entry(content, fields, shape, LINE_BYTES) })}\n`,
          ),
        after,
      }),
    )
    // The formats differ in how a row is read, the kinds in what becomes of it.
    const tables = (kind === 'tool' ? FORMATS : FORMATS.slice(0, 1)).flatMap((format) =>
      (['', '/preview'] as const).map(
        (which): Way => ({
          name: `${which ? 'preview_table' : 'import_table'}, ${kind}, ${format}`,
          fields: singles,
          prepare,
          send: (content, fields) =>
            post(
              `/import/table${which}?kind=${kind}&format=${format}`,
              'application/octet-stream',
              table(format, entry(content, fields, 'long', which ? 200 * 1024 : LINE_BYTES)),
            ),
          ...(which ? {} : { after }),
        }),
      ),
    )
    return [...lines, ...tables]
  })
}

const pathOfKind = (kind: (typeof KINDS)[number]): string =>
  ({
    category: 'categories',
    tag: 'tags',
    directoryCategory: 'directory-categories',
    tool: 'tools',
    directory: 'directories',
  })[kind]

function table(format: (typeof FORMATS)[number], row: Record<string, unknown>): string {
  if (format === 'json') return JSON.stringify([row])
  const separator = format === 'csv' ? ',' : '\t'
  const cell = (value: unknown) => `"${String(value).replaceAll('"', '""')}"`
  return [Object.keys(row), Object.values(row)].map((cells) => cells.map(cell).join(separator)).join('\n')
}

/** All ways over REST, MCP and the operator API, in the order of the operations. */
export function operationWays(ground: () => Ground): Way[] {
  const of = (operations: readonly RoutedOperation[], prefix: string) =>
    operations.flatMap((operation) =>
      operation.method === 'GET'
        ? readWays(ground, operation, prefix)
        : operation.method !== 'DELETE' && withBody(operation)
          ? writeWays(ground, operation, prefix)
          : [],
    )
  return [...of(restOperations, '/api/v1'), ...of(operatorOperations, '/api/admin'), ...importWays(ground)].filter(
    ({ fields }) => fields.length > 0,
  )
}
