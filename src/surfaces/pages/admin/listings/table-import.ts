// Imports a table in two steps, which need no script. The first shows how the columns would be read. The second sends the corrected columns
// and the file once more. A cookie in the administrator's browser remembers the columns of the last import.
import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply } from 'fastify'
import { KINDS, type Kind } from '../../../../features/catalog/schema.ts'
import { importedWords } from '../../../../features/listings/import/imported.rules.ts'
import { importTable, previewTable } from '../../../../features/listings/spreadsheets/table.operations.ts'
import { EXAMINED_BYTES, isTableFile } from '../../../../features/listings/spreadsheets/table.rules.ts'
import { PREVIEWED_BYTES, type TablePreview } from '../../../../features/listings/spreadsheets/table.schema.ts'
import { cookiePrefix } from '../../../../kernel/addresses/cookie-names.ts'
import { Failure } from '../../../../kernel/errors.ts'
import { isObject } from '../../../../kernel/values/objects.ts'
import { parsedJson } from '../../../../kernel/values/text.ts'
import type { Service } from '../../../http/service.ts'
import { button, linkButton } from '../../kit/button.ts'
import { badge, sectionHead } from '../../kit/components.ts'
import { choice, fileField, hiddenField } from '../../kit/forms/field.ts'
import type { StreamedFile } from '../../kit/forms/uploads.ts'
import { table } from '../../kit/lists/table.ts'
import { html, type Markup } from '../../kit/markup.ts'
import type { Visit } from '../../kit/sending/private-pages.ts'
import { number } from '../../kit/values.ts'
import * as pages from './import-page.ts'

/** The field of each column by the column's heading; null: the column is left out. */
type Columns = Record<string, string | null>

/** Whether the upload is a table: always in the second step, whose form has `columns`; in the first step the file decides. */
export async function isTable(form: Visit['form'], { name, content }: StreamedFile): Promise<boolean> {
  if (form.columns !== undefined) return true
  if (content.readableLength === 0 && !content.readableEnded) await once(content, 'readable')
  // The bytes that have arrived so far are read and put back for the import.
  const head: Buffer | null = content.read()
  if (head) content.unshift(head)
  return isTableFile(name, head?.subarray(0, EXAMINED_BYTES) ?? Buffer.alloc(0))
}

/** Handles the upload of a table: the first step shows a preview, the second imports the table. */
export async function importTableFile(visit: Visit, file: StreamedFile): Promise<FastifyReply> {
  const { stream, release } = partlyReadable(file.content)
  try {
    return await previewOrImport(visit, file.name, stream)
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 400) throw error
    const { kind } = visit.form
    const given = { token: visit.token, kind: KINDS.find((one) => one === kind), problem: error.message }
    return visit.send(pages.importPage(given), 400)
  } finally {
    release()
  }
}

async function previewOrImport(visit: Visit, name: string, content: Readable): Promise<FastifyReply> {
  const form = visit.form
  const kind = KINDS.find((one) => one === form.kind) ?? 'tool'
  const given = {
    token: visit.token,
    kind,
    skipInvalid: form.skipInvalid === 'true',
    createTerms: form.createTerms === 'true',
  }
  const head = form.columns === undefined ? await beginningOf(content) : undefined
  const chosen = head ? undefined : chosenColumns(form)
  const remembered = head ? rememberedColumns(visit) : undefined
  const show = async (bytes: Uint8Array, more: { problem?: string; outcome?: pages.ImportOutcome }, status: number) => {
    const { preview, isRemembered } = await previewOf(visit, bytes, given, chosen ?? {}, remembered)
    const page = tablePage({ ...given, ...more, preview, fileName: name, isRemembered })
    return visit.send(page, status)
  }
  if (head) return show(head, {}, 200)
  const kept = keepBeginning(content)
  const columns = chosen ?? {}
  const parameters = { ...parametersOf(given, columns), skipInvalid: given.skipInvalid }
  const outcome = await pages.outcomeOf(visit.perform(importTable, parameters, kept.all()))
  if (outcome.rejectedCount > 0) return show(kept.beginning(), { outcome }, outcome.imported === 0 ? 400 : 200)
  visit.reply.header('set-cookie', rememberingCookie(visit.service, columns))
  return visit.redirect(pages.IMPORT, { kind: 'good', text: `${importedWords(outcome)}.` })
}

interface Choices {
  kind: Kind
  skipInvalid: boolean
  createTerms: boolean
}

const parametersOf = ({ kind, createTerms }: Choices, columns: Columns) => ({
  kind,
  unknownTerms: createTerms ? 'create' : 'refuse',
  map: JSON.stringify(columns),
})

/** The preview with the given columns, or with the remembered ones if they fit all columns of this file. */
async function previewOf(
  visit: Visit,
  bytes: Uint8Array,
  choices: Choices,
  columns: Columns,
  remembered: Columns | undefined,
) {
  const preview = (map: Columns) => visit.perform(previewTable, parametersOf(choices, map), Buffer.from(bytes))
  const guessed = await preview(columns)
  const names = guessed.columns.map(({ column }) => column)
  const fits = remembered && names.length > 0 && names.every((column) => Object.hasOwn(remembered, column))
  if (!fits) return { preview: guessed, isRemembered: false }
  const known = Object.fromEntries(names.map((column) => [column, remembered[column] ?? null]))
  // If the operation refuses the remembered fields, because another kind of entry has them, the guessed ones are shown.
  const again = await preview(known).catch(() => null)
  return { preview: again ?? guessed, isRemembered: again !== null }
}

/** The columns as the form of the second step says. It numbers the columns and has their headings in `columns`. */
function chosenColumns(form: Readonly<Record<string, string | undefined>>): Columns {
  const names: unknown = parsedJson(form.columns ?? '')
  if (!Array.isArray(names)) return {}
  return Object.fromEntries(names.map((name, at) => [String(name), form[columnField(at)] || null]))
}

/** As much of the file as a preview needs. */
async function beginningOf(content: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const kept = keepBeginning(content)
  for await (const _ of kept.all()) if (kept.isFull()) break
  return kept.beginning()
}

/** Passes a stream on by `all`, and keeps as much of its beginning as a preview needs. */
function keepBeginning(content: AsyncIterable<Uint8Array>) {
  const chunks: Uint8Array[] = []
  let size = 0
  async function* all() {
    for await (const chunk of content) {
      if (size < PREVIEWED_BYTES) chunks.push(chunk)
      size += chunk.length
      yield chunk
    }
  }
  return {
    all,
    isFull: () => size >= PREVIEWED_BYTES,
    beginning: () => Buffer.concat(chunks).subarray(0, PREVIEWED_BYTES),
  }
}

/**
 * A stream of the file that need not be read to its end. `release` discards the rest of the file, because a browser reads the answer only
 * after it has sent the whole file.
 */
function partlyReadable(content: Readable): { stream: Readable; release(): void } {
  const stream = new PassThrough()
  content.on('error', (error) => stream.destroy(error))
  content.pipe(stream)
  return {
    stream,
    release() {
      content.unpipe(stream)
      stream.destroy()
      content.resume()
    },
  }
}

// Browsers keep at most 4 KiB for a cookie.
const LONGEST_COOKIE = 3_500
const YEAR_SECONDS = 365 * 24 * 60 * 60
const cookieName = ({ publicUrl }: Service): string => `${cookiePrefix(publicUrl)}_import`

/** The cookie with the columns. Columns that are too many for a cookie delete the one from before. */
function rememberingCookie(service: Service, columns: Columns): string {
  const value = Buffer.from(JSON.stringify(columns)).toString('base64url')
  return stringifySetCookie({
    name: cookieName(service),
    value: value.length > LONGEST_COOKIE ? '' : value,
    path: '/',
    maxAge: value.length > LONGEST_COOKIE ? 0 : YEAR_SECONDS,
    httpOnly: true,
    sameSite: 'strict',
    secure: service.publicUrl.startsWith('https:'),
  })
}

/** The columns in the cookie; undefined if there are none. The operation checks them like columns that were typed. */
function rememberedColumns(visit: Visit): Columns | undefined {
  const value = parseCookie(visit.request.headers.cookie ?? '')[cookieName(visit.service)]
  const columns = value ? parsedJson(Buffer.from(value, 'base64url').toString()) : undefined
  if (!isObject(columns)) return undefined
  return Object.fromEntries(
    Object.entries(columns).map(([column, field]) => [column, typeof field === 'string' ? field : null]),
  )
}

/** The name of the select for a column: by its number, because a heading may be any text. */
const columnField = (at: number): string => `column-${at}`

/** The page between the two steps: which column is which field, and the first rows as they would be imported. */
const tablePage = (given: pages.GivenImport & { preview: TablePreview; fileName: string; isRemembered: boolean }) => ({
  title: 'Import a table',
  flash: pages.importMessages(given),
  body: html`<div class="flow">
<h1>Import a table</h1>
${given.outcome && given.outcome.rejectedCount > 0 && pages.rejections(given.outcome, 'Row')}
<p class="prose">${aboutFile(given.preview, given.fileName)} ${given.isRemembered ? 'The fields are those that you chose for these columns before.' : 'The fields were guessed from the headings: correct them where they are wrong.'}</p>
<form class="flow" method="post" action="${pages.IMPORT}" enctype="multipart/form-data" data-upload>
${given.token}${hiddenField('columns', JSON.stringify(given.preview.columns.map(({ column }) => column)))}${hiddenField('kind', given.kind ?? 'tool')}
${columnsTable(given.preview)}
${choice({ name: 'createTerms', label: 'Make categories and tags that do not exist', checked: given.createTerms === true, hint: 'Otherwise rows that name one are wrong.' })}
${choice({ name: 'skipInvalid', label: 'Keep the good rows', checked: given.skipInvalid === true, hint: 'Wrong ones are left out and listed.' })}
${fileField({ name: 'file', label: 'The same file again', required: true, accept: '.csv,.tsv,.tab,.json,.txt', hint: 'Nothing of it was kept so far.' })}
<div class="progress" data-progress hidden><p role="status" class="small">Sending…</p><progress aria-label="Sending the file" max="1" value="0">Sending</progress></div>
<div class="row">${button('Import')}${linkButton(pages.IMPORT, 'Choose another file', { kind: 'plain' })}</div>
</form>
${sectionHead('The first rows')}
${rowsTable(given.preview)}
</div>`,
})

const SEPARATORS: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' }

function aboutFile({ format, encoding, separator, columns }: TablePreview, name: string): Markup {
  const cells = separator === null ? '' : `, cells between ${SEPARATORS[separator] ?? JSON.stringify(separator)}`
  return html`<bdi>${name}</bdi>: ${format.toUpperCase()} in ${encoding}${cells}, ${number(columns.length)} columns.`
}

const columnsTable = ({ columns, fields }: TablePreview): Markup =>
  table({
    caption: 'Columns and fields',
    rows: columns.map((column, at) => ({ ...column, at })),
    columns: [
      { label: 'Column', rowHeader: true, cell: ({ column }) => html`<bdi>${column}</bdi>` },
      { label: 'First cells', cell: ({ samples }) => html`<bdi>${samples.join(' · ')}</bdi>` },
      {
        label: 'Field',
        cell: ({ column, field, guess, at }) =>
          html`<label class="visually-hidden" for="${columnField(at)}">Field of <bdi>${column}</bdi></label><select class="input" id="${columnField(at)}" name="${columnField(at)}"><option value="">Leave out</option>${fields.map((name) => html`<option value="${name}"${name === field && html` selected`}>${name}</option>`)}</select>${field === null && guess !== null && html` <span class="small">Its heading fits ${guess}.</span>`}`,
      },
    ],
  })

const rowsTable = ({ rows }: TablePreview): Markup =>
  table({
    caption: 'The first rows as they would be imported',
    rows,
    columns: [
      { label: 'Row', kind: 'number', rowHeader: true, cell: ({ row }) => number(row) },
      { label: 'Name', cell: ({ name }) => html`<bdi>${name}</bdi>` },
      { label: 'Slug', cell: ({ slug }) => slug && html`<code>${slug}</code>` },
      { label: 'Makes', cell: ({ created }) => created.join(', ') },
      {
        label: 'What happens',
        cell: ({ problem, replaces, warning }) =>
          problem !== null
            ? html`${badge('Wrong', 'danger')} <bdi>${problem}</bdi>`
            : replaces
              ? html`${badge('Replaces', 'notice')}${warning && html` <bdi>${warning}</bdi>`}`
              : badge('New', 'good'),
      },
    ],
  })
