// The protocol library takes many times as long for a message as our own work on it, but it always writes the same bytes around the result
// of the same message. These bytes are remembered, and the next such message is answered without the library. A message is answered here
// only if the library has answered one before that differed in nothing but
// - the id,
// - the tool and its arguments, which our own operation checks, and
// - parts of `_meta` that mean nothing to a server which sends one answer and no progress.
// Everything else goes through the library: the first message of each kind, errors of the protocol, batches and notifications.
// What the library says about this service (version, instructions, tools) must not change while it runs; for the site's name see `kindOf`.
import type { IncomingHttpHeaders } from 'node:http'
import { LRUCache } from 'lru-cache'
import { isObject } from '../../kernel/values/objects.ts'
import type { McpMessage } from './messages.ts'
import { type ToolAnswer, type ToolCall, withNote } from './tool-server.ts'

/** The headers that the protocol library reads. */
export function protocolHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const sent: Record<string, string> = {}
  for (const name of ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id']) {
    const value = headers[name]
    if (typeof value === 'string') sent[name] = value
  }
  return sent
}

/** A kind of message that the library always answers in the same way. */
interface MessageKind {
  /** Everything that the library's answer depends on, as text. */
  key: string
  /** The tool and its arguments; null if the message is not a call. */
  call: ToolCall | null
}

/** How the library answered messages of one kind. */
export interface Remembered {
  /** The whole answer up to the id, for a method that is not a call. */
  whole: Buffer | null
  /** What the library writes around the answer of a tool and its `_meta`. It differs for answers without `_meta`, and for failures. */
  frames: Map<string, Frame>
}

/**
 * What the library writes around a result, which is `{"result":{"content":[{"text":` TEXT `}],"structuredContent":` OBJECT `,"_meta":{` META
 * `}},"id":` ID `}`. The `_meta` may come before the text instead.
 */
interface Frame {
  beforeText: MaybeWithMeta
  /** What is written between the text and the object; null for a failure, which has only the text. */
  beforeObject: Buffer | null
  /** What is written after the object, or after the text of a failure, up to the id. */
  end: MaybeWithMeta
}

/** One buffer, or where the `_meta` is within it the two buffers before and after that. */
type MaybeWithMeta = readonly [Buffer, Buffer?]

interface RememberedAnswers {
  /** Undefined if only the library can answer the message. */
  find(kind: MessageKind | null): Remembered | undefined
  /** Remembers the library's answer to a message; `answer` is what the tool answered, for a call. */
  remember(kind: MessageKind, id: unknown, whole: Buffer, answer: ToolAnswer | null): void
}

// All versions of the usual clients send far fewer kinds of messages. If a client sends ever new kinds, those used longest ago are dropped.
const MOST_KINDS = 500
const MOST_FRAMES = 10
/** The most characters of a message whose answer is remembered: JSON.stringify fails when a longer one is nested deeply. */
const LONGEST = 4_000

export function createRememberedAnswers(): RememberedAnswers {
  const kinds = new LRUCache<string, Remembered>({ max: MOST_KINDS })
  return {
    find: (kind) => (kind ? kinds.get(kind.key) : undefined),
    remember({ key, call }, id, whole, answer) {
      const upToId = withoutId(whole, id)
      if (!upToId) return
      const known = kinds.get(key) ?? { whole: null, frames: new Map<string, Frame>() }
      const frame = answer && frameAround(upToId, answer)
      if (!call) known.whole = upToId
      else if (frame && known.frames.size < MOST_FRAMES) known.frames.set(frameName(answer), frame)
      else return
      kinds.set(key, known)
    },
  }
}

const METHODS: ReadonlySet<unknown> = new Set(['initialize', 'ping', 'server/discover', 'tools/list', 'tools/call'])

/** The kind of a message; null if answers to such messages are not remembered. */
export function kindOf(
  body: unknown,
  length: number,
  headers: IncomingHttpHeaders,
  tools: ReadonlyMap<string, unknown>,
  /** Part of every key: answers that were written before the name of the site changed are not found again. */
  siteRevision: number,
): MessageKind | null {
  if (Array.isArray(body) || length > LONGEST) return null
  const { id, params, ...message } = body as McpMessage
  // The library refuses numbers that are not safe integers.
  const hasId = typeof id === 'string' || Number.isSafeInteger(id)
  if (!hasId || !METHODS.has(message.method) || (params !== undefined && !isObject(params))) return null
  const { 'mcp-name': nameSent, ...sent } = protocolHeaders(headers)
  if (message.method !== 'tools/call')
    return kind([siteRevision, nameSent, sent, message, params && withoutPerCallMeta(params)], null)
  const { name, arguments: input, ...others } = params ?? {}
  // The library drops an argument named __proto__, so it would call the tool with other arguments.
  if (input !== undefined && (!isObject(input) || Object.hasOwn(input, '__proto__'))) return null
  if (typeof name !== 'string' || !tools.has(name)) return null
  // The newest revision repeats the name in a header.
  if (nameSent !== undefined && nameSent !== name) return null
  return kind([siteRevision, nameSent !== undefined, sent, message, withoutPerCallMeta(others)], {
    name,
    arguments: input,
  })
}

function kind(parts: unknown, call: ToolCall | null): MessageKind | null {
  const key = JSON.stringify(parts)
  return key.length > LONGEST ? null : { key, call }
}

/**
 * Drops the parts of `_meta` that differ from call to call: the token for progress, which no tool reports, and names of other vendors.
 * Malformed tokens and the name `__proto__` are kept, because the library may answer a message with them differently.
 */
function withoutPerCallMeta(params: Record<string, unknown>): Record<string, unknown> {
  if (!isObject(params._meta)) return params
  const lasting = Object.entries(params._meta).filter(([name, value]) =>
    name === 'progressToken'
      ? typeof value !== 'string' && !Number.isSafeInteger(value)
      : name.startsWith('io.modelcontextprotocol/') || name === '__proto__',
  )
  return { ...params, _meta: Object.fromEntries(lasting) }
}

/** The same name for all answers around which the library writes the same bytes. */
const frameName = ({ meta, isError }: ToolAnswer): string => (isError ? 'error' : meta ? 'meta' : '')

/** The entries of the `_meta`, as the library writes them. */
const metaText = ({ meta }: ToolAnswer): Buffer => Buffer.from(meta ? JSON.stringify(meta).slice(1, -1) : '')

/** The answer to a call as the library would write it; null: it has not written such an answer yet. */
export function writeCall({ frames }: Remembered, id: unknown, answer: ToolAnswer): Buffer | null {
  const frame = frames.get(frameName(answer))
  if (!frame) return null
  const { text, object } = formsOf(answer)
  const meta = metaText(answer)
  const withMeta = ([before, after]: MaybeWithMeta) => (after ? [before, meta, after] : [before])
  return Buffer.concat([
    ...withMeta(frame.beforeText),
    text,
    ...(frame.beforeObject === null ? [] : [frame.beforeObject, object]),
    ...withMeta(frame.end),
    endOf(id),
  ])
}

export const writeWhole = (upToId: Buffer, id: unknown): Buffer => Buffer.concat([upToId, endOf(id)])

const endOf = (id: unknown): Buffer => Buffer.from(`${JSON.stringify(id)}}`)

/** The answer up to its id; null if it does not end with its id or is an error. */
function withoutId(whole: Buffer, id: unknown): Buffer | null {
  const end = endOf(id)
  const isResult = whole.subarray(0, RESULT.length).equals(RESULT)
  return isResult && whole.subarray(-end.length).equals(end) ? whole.subarray(0, -end.length) : null
}

const RESULT = Buffer.from('{"result":')

function frameAround(upToId: Buffer, answer: ToolAnswer): Frame | null {
  const { isError, meta } = answer
  const { text, object } = formsOf(answer)
  const textAt = upToId.indexOf(text)
  const afterText = textAt + text.length
  const objectAt = isError ? afterText : upToId.indexOf(object, afterText)
  if (textAt === -1 || objectAt === -1) return null
  const entries = metaText(answer)
  // Copies, because the rest of the answer must not stay in memory with them.
  const around = (part: Buffer): MaybeWithMeta => {
    const at = meta ? part.indexOf(entries) : -1
    return at === -1
      ? [Buffer.from(part)]
      : [Buffer.from(part.subarray(0, at)), Buffer.from(part.subarray(at + entries.length))]
  }
  const beforeText = around(upToId.subarray(0, textAt))
  const end = around(upToId.subarray(isError ? afterText : objectAt + object.length))
  // The `_meta` must have been found exactly once, or the bytes cannot be used again.
  if (meta && [beforeText, end].filter(([, after]) => after).length !== 1) return null
  return { beforeText, end, beforeObject: isError ? null : Buffer.from(upToId.subarray(afterText, objectAt)) }
}

interface Forms {
  /** The envelope as a JSON string. */
  text: Buffer
  /** The envelope parsed and written again, as the library does it; JavaScript puts names that are numbers first. */
  object: Buffer
}

const forms = new WeakMap<Buffer, Forms>()

/** Made once for each envelope, and kept as long as the envelope itself. An envelope always has the same note. */
function formsOf({ json, note }: ToolAnswer): Forms {
  let made = forms.get(json)
  if (!made) {
    const text = json.toString()
    const object = Buffer.from(JSON.stringify(JSON.parse(text)))
    made = { text: Buffer.from(JSON.stringify(withNote(text, note))), object: object.equals(json) ? json : object }
    forms.set(json, made)
  }
  return made
}
