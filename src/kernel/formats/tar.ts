// Archives in the format that every `tar` reads (ustar), with files and folders only. A package would also support links, devices and
// owners, which have often let archives write outside of the target folder. Modes are written for other programs and never read.

interface TarEntry {
  /** Parts are separated by `/`; a folder's name does not end with one. */
  name: string
  isFolder: boolean
  size: number
  modifiedAt: Date
}

export interface TarSource extends TarEntry {
  /** Exactly `size` bytes. */
  content?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

export class DamagedArchive extends Error {}

const BLOCK = 512
const FILE = '0'
const FOLDER = '5'
// An archive contains secrets, so only the owner may read unpacked files, whatever modes the archive has.
export const FILE_MODE = 0o600
export const FOLDER_MODE = 0o700

export async function* writeTar(entries: AsyncIterable<TarSource>): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    yield header(entry)
    let written = 0
    for await (const chunk of entry.content ?? []) {
      yield chunk
      written += chunk.length
    }
    if (written !== entry.size) throw new Error(`${entry.name} changed while it was read.`)
    yield Buffer.alloc(padding(entry.size))
  }
  yield Buffer.alloc(2 * BLOCK)
}

/** The caller must have finished with an entry's content, read or unread, before it asks for the next entry. */
export async function* readTar(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<TarEntry & { content: AsyncGenerator<Buffer> }> {
  const input = reader(source)
  for (;;) {
    const block = await input.take(BLOCK)
    if (block.every((byte) => byte === 0)) return
    const entry = readHeader(block)
    const content = input.stream(entry.size)
    yield { ...entry, content }
    for await (const _ of content);
    await input.take(padding(entry.size))
  }
}

const padding = (size: number) => (BLOCK - (size % BLOCK)) % BLOCK

// Offset and length of a header's fields; KIND is one byte.
const NAME = [0, 100] as const
const MODE = [100, 8] as const
const SIZE = [124, 12] as const
const TIME = [136, 12] as const
const CHECK = [148, 8] as const
const KIND = 156
const MAGIC = [257, 8] as const
const PREFIX = [345, 155] as const

function header({ name, isFolder, size, modifiedAt }: TarEntry): Buffer {
  const block = Buffer.alloc(BLOCK)
  const [prefix, last] = splitName(isFolder ? `${name}/` : name)
  const put = ([at]: readonly [number, number], text: string) => block.write(text, at, 'utf8')
  const number = (field: readonly [number, number], value: number) =>
    put(field, value.toString(8).padStart(field[1] - 1, '0'))
  put(NAME, last)
  number(MODE, isFolder ? FOLDER_MODE : FILE_MODE)
  number([108, 8], 0) // owner
  number([116, 8], 0) // group
  number(SIZE, size)
  number(TIME, Math.floor(modifiedAt.getTime() / 1000))
  block.write(isFolder ? FOLDER : FILE, KIND)
  put(MAGIC, 'ustar\x0000')
  put(PREFIX, prefix)
  put(CHECK, `${checkOf(block).toString(8).padStart(6, '0')}\0 `)
  return block
}

/** The checksum of the header, in which the checksum's own field counts as spaces. */
function checkOf(block: Buffer): number {
  let sum = 0
  for (const [at, byte] of block.entries()) sum += at >= CHECK[0] && at < CHECK[0] + CHECK[1] ? 32 : byte
  return sum
}

function splitName(name: string): [string, string] {
  if (Buffer.byteLength(name) <= NAME[1]) return ['', name]
  for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1)) {
    const [prefix, last] = [name.slice(0, at), name.slice(at + 1)]
    if (Buffer.byteLength(prefix) <= PREFIX[1] && Buffer.byteLength(last) <= NAME[1] && last !== '')
      return [prefix, last]
  }
  throw new Error(`The name ${name} is too long for an archive.`)
}

function readHeader(block: Buffer): TarEntry {
  const text = ([at, length]: readonly [number, number]) => {
    const field = block.subarray(at, at + length)
    const end = field.indexOf(0)
    return field.subarray(0, end === -1 ? length : end).toString('utf8')
  }
  const number = (field: readonly [number, number]) => Number.parseInt(text(field).trim() || '0', 8)
  const kind = block.toString('latin1', KIND, KIND + 1)
  if (number(CHECK) !== checkOf(block) || !text(MAGIC).startsWith('ustar'))
    throw new DamagedArchive('It is damaged, or no archive of this service.')
  const name = [text(PREFIX), text(NAME)].filter(Boolean).join('/')
  if (kind !== FILE && kind !== FOLDER) throw new DamagedArchive(`${name} in it is neither a file nor a folder.`)
  return {
    name: name.replace(/\/$/, ''),
    isFolder: kind === FOLDER,
    size: number(SIZE),
    modifiedAt: new Date(number(TIME) * 1000),
  }
}

/** Reads a given number of bytes from a stream of pieces of any size. */
function reader(source: AsyncIterable<Uint8Array>) {
  const pieces = source[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  async function more(): Promise<void> {
    const { done, value } = await pieces.next()
    if (done) throw new DamagedArchive('It ends too early.')
    rest = Buffer.from(value.buffer, value.byteOffset, value.length)
  }
  async function* stream(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (rest.length === 0) await more()
      const piece = rest.subarray(0, left)
      rest = rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }
  return {
    stream,
    async take(count: number): Promise<Buffer> {
      const taken: Buffer[] = []
      for await (const piece of stream(count)) taken.push(piece)
      return Buffer.concat(taken)
    },
  }
}
