// Every operation of the operator API as a page, made from its declaration alone: its parameters and body are a form, its answer a table.
// So an operation without a page of its own can be used in the console as soon as it is declared.
import type { FastifyReply } from 'fastify'
import { badRequest, Failure, orNotFound } from '../../../kernel/errors.ts'
import type { RoutedOperation } from '../../../kernel/operation.ts'
import { columnFields, isScalar, requiredFields } from '../../../kernel/schema.ts'
import { isObject } from '../../../kernel/values/objects.ts'
import { parsedJson } from '../../../kernel/values/text.ts'
import { ADMIN_BASE } from '../../http/addresses.ts'
import { button } from '../kit/button.ts'
import { codeBlock, emptyState, sectionHead } from '../kit/components.ts'
import { choicesOf, type FieldSchema, fieldFacts, fieldSchemas, YES_NO } from '../kit/forms/declared-form.ts'
import { choice, field, select, textarea } from '../kit/forms/field.ts'
import { type Refusal, refusalFlash, refusalOf } from '../kit/forms/forms.ts'
import { addressWith } from '../kit/lists/address-query.ts'
import { pageNumberOf, previousNextLinks } from '../kit/lists/paged-lists.ts'
import { table } from '../kit/lists/table.ts'
import { html, type Markup, normaliseLineBreaks, oneLine } from '../kit/markup.ts'
import { isCorrectable, type Visit, type VisitPages } from '../kit/sending/private-pages.ts'
import { fieldLabel, time } from '../kit/values.ts'
import { ADMIN } from './kit/frame.ts'

const OPERATIONS = `${ADMIN}/operations`

/** A form can send parameters and a JSON body, and a page can show an answer of one envelope. An answer with a cursor is for programs. */
const isOnPages = ({ lines, bytes, streams, next }: RoutedOperation): boolean => !lines && !bytes && !streams && !next

export const operationPages = (operations: readonly RoutedOperation[]): VisitPages => {
  const operationOf = (visit: Visit) =>
    orNotFound(
      operations.find((one) => one.name === visit.param('name') && isOnPages(one)),
      'Operation',
    )
  return {
    [OPERATIONS]: { GET: (visit) => sendIndex(visit, operations) },
    [`${OPERATIONS}/:name`]: {
      GET: async (visit) => {
        const operation = operationOf(visit)
        const typed = visit.query(fieldsOf(operation).map(([name]) => name))
        const isRun = operation.method === 'GET' && requiredOf(operation).every((name) => typed[name])
        return isRun ? run(visit, operation, typed) : sendOperation(visit, operation, { typed })
      },
      POST: (visit) => {
        const operation = operationOf(visit)
        if (operation.method === 'GET')
          throw badRequest(`Open ${addressOf(operation)} instead of sending a form to it.`)
        return run(visit, operation, visit.form)
      },
    },
  }
}

const addressOf = ({ name }: RoutedOperation): string => `${OPERATIONS}/${name}`
const requiredOf = ({ parameters, body }: RoutedOperation): string[] => [
  ...requiredFields(parameters),
  ...requiredFields(body),
]

const sendIndex = (visit: Visit, operations: readonly RoutedOperation[]): Promise<FastifyReply> =>
  visit.send({
    title: 'Operations',
    body: html`<div class="flow"><h1>Operations</h1>
<p class="lead">Everything that the operator API can do, with the same rights. Most of it has a page of its own in the console, which asks for less.</p>
${table({
  caption: 'Operations',
  rows: operations.toSorted((a, b) => a.group.localeCompare(b.group)),
  group: { key: ({ group }) => group, heading: ({ group }) => group },
  columns: [
    {
      label: 'Operation',
      rowHeader: true,
      cell: (one) => (isOnPages(one) ? html`<a href="${addressOf(one)}">${one.summary}</a>` : one.summary),
    },
    {
      label: 'Request',
      onPhones: 'unlabelled',
      cell: ({ method, path }) => html`<code>${method} ${ADMIN_BASE}${path}</code>`,
    },
    {
      label: 'In the console',
      onPhones: 'hidden',
      cell: (one) => (isOnPages(one) ? 'Yes' : 'No: only API and command line'),
    },
  ],
})}
</div>`,
  })

type Texts = Readonly<Record<string, string | undefined>>

/** What the page of an operation shows: what was typed, and its answer or why it was refused. */
interface Shown {
  typed: Texts
  answer?: unknown
  refused?: Refusal & { status: number }
}

/** The rows of a page of a list; operations for lists return more by default than a page can show. */
const PAGE_SIZE = 50
const isPaged = ({ parameters }: RoutedOperation): boolean => 'page' in parameters.properties

async function run(visit: Visit, operation: RoutedOperation, typed: Texts): Promise<FastifyReply> {
  try {
    if (operation.method !== 'GET' && typed.confirm !== 'true')
      throw badRequest('Nothing was done. Check the box to say that you mean it.')
    const valuesIn = (schemas: Readonly<Record<string, FieldSchema>>) =>
      Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, sentValue(name, schema, typed[name])]))
    const page = isPaged(operation) ? { page: pageNumberOf(visit), limit: PAGE_SIZE } : {}
    const parameters = { ...valuesIn(fieldSchemas(operation.parameters)), ...page }
    const body = operation.body && withoutMissing(valuesIn(fieldSchemas(operation.body)))
    return await sendOperation(visit, operation, {
      typed,
      answer: await visit.perform(operation, withoutMissing(parameters), body),
    })
  } catch (error) {
    if (!isCorrectable(error) && !(error instanceof Failure && error.status === 404)) throw error
    const labels = Object.fromEntries(fieldsOf(operation).map(([name]) => [name, fieldLabel(name)]))
    return sendOperation(visit, operation, { typed, refused: { ...refusalOf(error, labels), status: error.status } })
  }
}

const withoutMissing = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** The fields of the form: the parameters and those of the body. The links between pages of a list set `page`. */
const fieldsOf = ({ parameters, body }: RoutedOperation): [name: string, schema: FieldSchema][] =>
  Object.entries({ ...fieldSchemas(parameters), ...fieldSchemas(body) }).filter(
    ([name]) => name !== 'page' && name !== 'limit',
  )

const isTextList = ({ items }: FieldSchema): boolean => items?.type === 'string'

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/

/** The value that is sent; undefined: the field is left out. */
function sentValue(name: string, schema: FieldSchema, typed = ''): unknown {
  const text = normaliseLineBreaks(typed).trim()
  if (text === '') return undefined
  const types = [schema.type ?? []].flat()
  if (text === 'null' && types.includes('null')) return null
  if (text === '""' && types.includes('string')) return ''
  if (text === '[]' && isTextList(schema)) return []
  if (isTextList(schema)) return text.split('\n').flatMap((line) => line.trim() || [])
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  // A text that is no number is sent as it is, so that the operation says what is wrong with it.
  if (types.some((type) => type === 'integer' || type === 'number') && NUMBER.test(text)) return Number(text)
  if (isScalar(schema)) return text
  const value = parsedJson(text)
  if (value === undefined) throw badRequest(`${fieldLabel(name)} must be JSON.`)
  return value
}

/** A text that may be longer gets a text area; a longer value is cut in a table. */
const LONG_TEXT = 300

function fieldOf(operation: RoutedOperation, name: string, schema: FieldSchema, { typed, refused }: Shown): Markup {
  const facts = fieldFacts(schema)
  const isText = isScalar(schema)
  const form = isTextList(schema) ? 'One a line; [] for none.' : isText ? '' : 'As JSON.'
  const shared = {
    name,
    label: fieldLabel(name),
    hint: [schema.description, form, facts.nullable && 'null: none.'].filter(Boolean).join(' '),
    error: refused?.marked[name],
    value: typed[name],
    required: requiredOf(operation).includes(name),
  }
  const isFlag = [schema.type ?? []].flat().includes('boolean')
  const options = isText && choicesOf(facts.options, isFlag ? YES_NO : undefined)
  const none = facts.nullable ? [{ value: 'null', label: 'None' }] : []
  if (options) return select({ ...shared, options: [...options, ...none], none: 'Not given' })
  if (isText && (facts.maxLength ?? 0) <= LONG_TEXT) return field({ ...shared, maxLength: facts.maxLength })
  return textarea({ ...shared, rows: 4 })
}

function sendOperation(visit: Visit, operation: RoutedOperation, shown: Shown): Promise<FastifyReply> {
  const { summary, description, method, path, data } = operation
  const { answer, refused } = shown
  const isRead = method === 'GET'
  const isDone = answer !== undefined
  const fields = fieldsOf(operation).map(([name, schema]) => html`${fieldOf(operation, name, schema, shown)}\n`)
  return visit.send(
    {
      title: summary,
      flash: isDone && !isRead ? [{ kind: 'good', text: 'Done. The answer is below.' }] : refusalFlash(refused),
      body: html`<div class="flow"><p><a href="${OPERATIONS}">Operations</a></p><h1>${summary}</h1>
<p class="lead">${description}</p>
<p><code>${method} ${ADMIN_BASE}${path}</code></p>
${
  (fields.length > 0 || !isRead) &&
  html`<form class="form" method="${isRead ? 'get' : 'post'}" action="${addressOf(operation)}">${!isRead && visit.token}
${fields}${fields.length > 0 && html`<p class="note">Fields that are empty are not sent; <code>""</code> sends an empty text.</p>`}
${!isRead && choice({ name: 'confirm', label: CONFIRMATIONS[method], required: true })}
<div class="row">${button(isRead ? 'Show' : 'Send', method === 'DELETE' ? { kind: 'danger' } : {})}</div></form>`
}
${isDone && html`${sectionHead('Answer', isRead ? { href: apiAddress(visit, operation, shown), label: 'As JSON' } : undefined)}${answerOf(data, answer)}${isPaged(operation) && pageLinks(visit, operation, shown)}`}
</div>`,
    },
    refused?.status,
  )
}

/** Asked before every write, because a form that is hardly filled in is sent quickly, and most writes have no undo. */
const CONFIRMATIONS = {
  GET: '',
  POST: 'I mean it: do this.',
  PUT: 'I mean it: replace everything that is stored. What is empty here gets its default.',
  PATCH: 'I mean it: change this.',
  DELETE: 'I mean it: this cannot be undone.',
} as const

/** Where the whole answer is: tables cut long texts and leave out lists. */
function apiAddress(visit: Visit, operation: RoutedOperation, { typed }: Shown): string {
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(typed[name] ?? ''))
  const paging: Record<string, string> = isPaged(operation)
    ? { page: String(pageNumberOf(visit)), limit: String(PAGE_SIZE) }
    : {}
  const inQuery = Object.entries(typed).filter(([name]) => !operation.path.includes(`:${name}`))
  const query = Object.fromEntries(inQuery.map(([name, value]) => [name, value ?? '']))
  return addressWith(`${ADMIN_BASE}${path}`, { ...query, ...paging })
}

function pageLinks(visit: Visit, operation: RoutedOperation, { typed, answer }: Shown): Markup | null {
  const sent = Object.fromEntries(fieldsOf(operation).map(([name]) => [name, typed[name] ?? '']))
  const lists = Array.isArray(answer) ? [answer] : Object.values(answer ?? {}).filter(Array.isArray)
  const mayHaveMore = lists.some(({ length }) => length === PAGE_SIZE)
  return previousNextLinks(pageNumberOf(visit), mayHaveMore, (to) =>
    addressWith(addressOf(operation), { ...sent, page: String(to) }),
  )
}

/** Escaping a megabyte takes a tenth of a second. The link "As JSON" leads to the whole answer of a read. */
const MOST_SHOWN = 20_000
const shortened = (text: string): string => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)} …` : text)
const jsonOf = (value: unknown): Markup => codeBlock('JSON', shortened(JSON.stringify(value, null, 2)))

/** A list of objects as a table, an object as facts with its lists below, anything else as JSON. */
function answerOf(schema: object, answer: unknown): Markup {
  const { items, properties } = schema as ShownSchema
  if (Array.isArray(answer) && items?.properties) return tableOf(items, answer)
  if (!isObject(answer)) return jsonOf(answer)
  const parts = Object.entries(answer).filter(([, value]) => value !== undefined)
  const isPart = ([, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null && !(value instanceof Date)
  return html`<dl class="facts">${parts
    .filter((part) => !isPart(part))
    .map(
      ([name, value]) =>
        html`<div><dt>${fieldLabel(name)}</dt><dd class="text" dir="auto">${shownValue(value, properties?.[name]) ?? '–'}</dd></div>\n`,
    )}</dl>
${parts.filter(isPart).map(([name, value]) => {
  const fields = properties?.[name]?.items
  const isTable = Array.isArray(value) && fields?.properties
  return html`${sectionHead(fieldLabel(name))}${isTable ? tableOf(fields, value) : jsonOf(value)}`
})}`
}

interface ShownSchema extends Pick<FieldSchema, 'type' | 'enum'> {
  format?: string
  items?: ShownSchema
  properties?: Readonly<Record<string, ShownSchema>>
}

const tableOf = (items: ShownSchema, rows: readonly Record<string, unknown>[]): Markup =>
  table({
    caption: 'Answer',
    rows,
    keepsColumns: true,
    columns: columnFields(items, rows).map(([name, field], at) => ({
      label: fieldLabel(name),
      rowHeader: at === 0,
      cell: (row: Record<string, unknown>) => shownValue(row[name], field, LONG_TEXT),
    })),
    empty: emptyState({ title: 'Nothing found' }),
  })

function shownValue(value: unknown, field: ShownSchema = {}, most?: number): Markup | string | null {
  if (value === null || value === undefined || value === '') return null
  if (typeof value === 'boolean') return value ? YES_NO.true : YES_NO.false
  if (field.format === 'date-time') return time(value as string | Date)
  return html`<bdi>${most ? oneLine(String(value), most) : shortened(String(value))}</bdi>`
}
