// Reads the largest picture in an .ico file, which libvips cannot read. Its entries are PNG files or bitmaps without their file header.

type IcoPicture = { png: Buffer } | { pixels: Buffer; width: number; height: number }

const HEADER = 6
const ENTRY = 16
const MAX_SIDE = 256
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

export const isIco = (bytes: Buffer): boolean =>
  bytes.length > HEADER + ENTRY &&
  bytes.readUInt16LE(0) === 0 &&
  bytes.readUInt16LE(2) === 1 &&
  bytes.readUInt16LE(4) > 0

/** Returns null if no picture in the file can be read. */
export function largestInIco(bytes: Buffer): IcoPicture | null {
  const count = Math.min(bytes.readUInt16LE(4), 64, Math.floor((bytes.length - HEADER) / ENTRY))
  const entries = Array.from({ length: count }, (_, i) => {
    const at = HEADER + i * ENTRY
    // The width is one byte, and 0 means 256.
    const side = bytes[at] || MAX_SIDE
    const start = bytes.readUInt32LE(at + 12)
    return { side, depth: bytes.readUInt16LE(at + 6), data: bytes.subarray(start, start + bytes.readUInt32LE(at + 8)) }
  }).sort((a, b) => b.side - a.side || b.depth - a.depth)
  for (const { data } of entries) {
    const picture = readEntry(data)
    if (picture) return picture
  }
  return null
}

function readEntry(data: Buffer): IcoPicture | null {
  if (data.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return { png: data }
  try {
    return readBitmap(data)
  } catch {
    // A read past the end throws: the file is shorter than its header says.
    return null
  }
}

function readBitmap(data: Buffer): IcoPicture | null {
  const headerSize = data.readUInt32LE(0)
  const width = data.readInt32LE(4)
  // The height counts the mask below the picture too.
  const height = data.readInt32LE(8) / 2
  const depth = data.readUInt16LE(14)
  const isUncompressed = data.readUInt32LE(16) === 0
  const fits = (side: number) => Number.isInteger(side) && side > 0 && side <= MAX_SIDE
  if (headerSize < 40 || !isUncompressed || !fits(width) || !fits(height) || ![1, 4, 8, 24, 32].includes(depth))
    return null
  const colours = depth > 8 ? 0 : data.readUInt32LE(32) || 2 ** depth
  const rows = headerSize + colours * 4
  const stride = Math.ceil((width * depth) / 32) * 4
  const mask = rows + stride * height
  // Checked before any pixel is read: otherwise each of many truncated entries would be read to its end.
  if (mask > data.length) return null
  const maskStride = Math.ceil(width / 32) * 4
  const pixels = Buffer.alloc(width * height * 4)
  let isAnyOpaque = false
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const row = rows + (height - 1 - y) * stride
      const source = depth > 8 ? row + (x * depth) / 8 : headerSize + paletteIndex(data, row, x, depth) * 4
      const target = (y * width + x) * 4
      pixels[target] = data.readUInt8(source + 2)
      pixels[target + 1] = data.readUInt8(source + 1)
      pixels[target + 2] = data.readUInt8(source)
      const maskedAlpha = isMasked(data, mask, maskStride, height, x, y) ? 0 : 255
      const alpha = depth === 32 ? data.readUInt8(source + 3) : maskedAlpha
      pixels[target + 3] = alpha
      isAnyOpaque ||= alpha > 0
    }
  // In old 32-bit icons all alpha bytes are 0, which means opaque.
  if (!isAnyOpaque) for (let i = 3; i < pixels.length; i += 4) pixels[i] = 255
  return { pixels, width, height }
}

function paletteIndex(data: Buffer, row: number, x: number, depth: number): number {
  const bit = x * depth
  return (data.readUInt8(row + (bit >> 3)) >> (8 - depth - (bit & 7))) & (2 ** depth - 1)
}

function isMasked(data: Buffer, mask: number, stride: number, height: number, x: number, y: number): boolean {
  const at = mask + (height - 1 - y) * stride + (x >> 3)
  return at < data.length && ((data.readUInt8(at) >> (7 - (x & 7))) & 1) === 1
}
