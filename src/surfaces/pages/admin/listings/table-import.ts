// Import of a table in the console, in two steps that need no script: the first shows how the columns would be read; the second sends the
// corrected columns and the file once more. A cookie in the administrator's browser remembers the columns of the last import.
import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { KINDS, type Kind } from '../../../../features/catalog/schema.ts'
import { HEAD, isTableFile } from '../../../../features/listings/file-kind.rules.ts'
import { importedWords } from '../../../../features/listings/imported.rules.ts'
import { importTable, previewTable } from '../../../../features/listings/table.operations.ts'
import { PREVIEWED_BYTES } from '../../../../features/listings/table.schema.ts'
import { cookiePrefix } from '../../../../kernel/cookie-names.ts'
import { Failure } from '../../../../kernel/errors.ts'
import { isObject } from '../../../../kernel/objects.ts'
import type { Service } from '../../../http/service.ts'
import { csrfField, formOf } from '../../kit/forms.ts'
import { redirectWith } from '../../kit/messages.ts'
import { performAs } from '../../kit/private-pages.ts'
import type { StreamedFile } from '../../kit/streamed-uploads.ts'
import { sendAdmin } from '../frame.ts'
import { IMPORT, type ImportOutcome, importPage } from './import-page.ts'
import { columnField, tablePage } from './table-page.ts'

type Columns = Record<string, string | null>

/** Whether the upload is a table: always in the second step, whose form has `columns`; in the first step the file decides. */
export async function isTable(request: FastifyRequest, { name, content }: StreamedFile): Promise<boolean> {
  if (formOf(request).columns !== undefined) return true
  if (content.readableLength === 0 && !content.readableEnded) await once(content, 'readable')
  // The bytes that have arrived so far; they are put back for the import.
  const head: Buffer | null = content.read()
  if (head) content.unshift(head)
  return isTableFile(name, head?.subarray(0, HEAD) ?? Buffer.alloc(0))
}

export async function importTableFile(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  file: StreamedFile,
): Promise<FastifyReply> {
  const { stream, release } = partlyReadable(file.content)
  try {
    return await previewOrImport(service, request, reply, file.name, stream)
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 400) throw error
    const { kind } = formOf(request)
    const given = { token: csrfField(request), kind: KINDS.find((one) => one === kind), problem: error.message }
    return sendAdmin(service, request, reply, importPage(given), 400)
  } finally {
    release()
  }
}

async function previewOrImport(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  content: Readable,
): Promise<FastifyReply> {
  const form = formOf(request)
  const kind = KINDS.find((one) => one === form.kind) ?? 'tool'
  const given = {
    token: csrfField(request),
    kind,
    skipInvalid: form.skipInvalid === 'true',
    createTerms: form.createTerms === 'true',
  }
  const head = form.columns === undefined ? await beginningOf(content) : undefined
  const chosen = head ? undefined : chosenColumns(form)
  const remembered = head ? rememberedColumns(service, request) : undefined
  const show = async (bytes: Uint8Array, more: { problem?: string; outcome?: ImportOutcome }, status: number) => {
    const { preview, isRemembered } = await previewOf(service, request, bytes, given, chosen ?? {}, remembered)
    const page = tablePage({ ...given, ...more, preview, fileName: name, isRemembered })
    return sendAdmin(service, request, reply, page, status)
  }
  if (head) return show(head, {}, 200)
  const kept = keepBeginning(content)
  const columns = chosen ?? {}
  const outcome = await importRows(service, request, kept.all(), given, columns)
  if (outcome.rejectedCount > 0) return show(kept.beginning(), { outcome }, outcome.imported === 0 ? 400 : 200)
  reply.header('set-cookie', rememberingCookie(service, columns))
  return redirectWith(service, reply, IMPORT, { kind: 'good', text: `${importedWords(outcome)}.` })
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

async function importRows(
  service: Service,
  request: FastifyRequest,
  content: AsyncIterable<Uint8Array>,
  choices: Choices,
  columns: Columns,
): Promise<ImportOutcome> {
  const { skipInvalid } = choices
  try {
    const parameters = { ...parametersOf(choices, columns), skipInvalid }
    return await performAs(service, request, importTable, parameters, content)
  } catch (error) {
    // The details of the failure name the wrong rows.
    if (!(error instanceof Failure) || error.status !== 400 || !Array.isArray(error.details.rejected)) throw error
    return error.details as Record<string, unknown> & ImportOutcome
  }
}

async function previewOf(
  service: Service,
  request: FastifyRequest,
  bytes: Uint8Array,
  choices: Choices,
  columns: Columns,
  remembered: Columns | undefined,
) {
  const preview = (map: Columns) =>
    performAs(service, request, previewTable, parametersOf(choices, map), Buffer.from(bytes))
  const guessed = await preview(columns)
  const names = guessed.columns.map(({ column }) => column)
  const fits = remembered && names.length > 0 && names.every((column) => Object.hasOwn(remembered, column))
  if (!fits) return { preview: guessed, isRemembered: false }
  const known = Object.fromEntries(names.map((column) => [column, remembered[column] ?? null]))
  // The operation refuses remembered fields that another kind of entry has.
  const again = await preview(known).catch(() => null)
  return { preview: again ?? guessed, isRemembered: again !== null }
}

/** The chosen field by the name of its column; the form numbers the columns. */
function chosenColumns(form: Readonly<Record<string, string | undefined>>): Columns {
  const names: unknown = parsed(form.columns ?? '')
  if (!Array.isArray(names)) return {}
  return Object.fromEntries(names.map((name, at) => [String(name), form[columnField(at)] || null]))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function beginningOf(content: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const kept = keepBeginning(content)
  for await (const _ of kept.all()) if (kept.isFull()) break
  return kept.beginning()
}

/** Passes a stream on and keeps what a preview needs of it. */
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
 * A stream of the file that a reader may leave before its end. `release` then discards the rest of the file, because a browser reads the
 * answer only after it has sent the whole file.
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

/** The columns in the cookie. The operation checks them like any other mapping, because a browser can send anything. */
function rememberedColumns(service: Service, request: FastifyRequest): Columns | undefined {
  const value = parseCookie(request.headers.cookie ?? '')[cookieName(service)]
  const columns = value ? parsed(Buffer.from(value, 'base64url').toString()) : undefined
  if (!isObject(columns)) return undefined
  return Object.fromEntries(
    Object.entries(columns).map(([column, field]) => [column, typeof field === 'string' ? field : null]),
  )
}
