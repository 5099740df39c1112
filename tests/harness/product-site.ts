// The site of a submitted product: a real HTTP server on loopback whose answers a test decides.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import sharp from 'sharp'
import { listening } from './listening.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown
type Route = string | Buffer | Handle

export interface ProductSite {
  url: string
  /** The paths that were requested. */
  asked: string[]
  routes: Record<string, Route>
  close(): Promise<void>
}

/** A string is a page, bytes are sent as image/png whatever they are, and any other path is a 404. */
export async function productSite(routes: Record<string, Route>): Promise<ProductSite> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url!)
    const route = site.routes[request.url!]
    if (typeof route === 'function') return void route(request, response)
    if (route === undefined) return void response.writeHead(404).end()
    response.setHeader('content-type', typeof route === 'string' ? 'text/html; charset=utf-8' : 'image/png')
    response.end(route)
  })
  const { url, close } = await listening(server)
  const site: ProductSite = { url, asked, routes, close }
  return site
}

export const picture = (width: number, height: number, background = '#3366cc'): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer()

export const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>',
)

/** A PNG whose header declares far more pixels than a server should decode. */
export async function decompressionBomb(): Promise<Buffer> {
  const bytes = await picture(10, 10)
  bytes.writeUInt32BE(60_000, 16)
  bytes.writeUInt32BE(60_000, 20)
  const { crc32 } = await import('node:zlib')
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29)
  return bytes
}

/** An icon file with one entry: a PNG, or a 32-bit bitmap in one colour (red, green, blue, alpha). */
export function ico(side: number, entry: Buffer | readonly [number, number, number, number]): Buffer {
  const data = Buffer.isBuffer(entry) ? entry : bitmap(side, entry)
  const head = Buffer.alloc(22)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(1, 4)
  head.set([side % 256, side % 256], 6)
  head.writeUInt16LE(32, 12)
  head.writeUInt32LE(data.length, 14)
  head.writeUInt32LE(22, 18)
  return Buffer.concat([head, data])
}

function bitmap(side: number, [red, green, blue, alpha]: readonly [number, number, number, number]): Buffer {
  const header = Buffer.alloc(40)
  header.writeUInt32LE(40, 0)
  header.writeInt32LE(side, 4)
  header.writeInt32LE(side * 2, 8)
  header.writeUInt16LE(1, 12)
  header.writeUInt16LE(32, 14)
  const pixels = Buffer.alloc(side * side * 4, Buffer.from([blue, green, red, alpha]))
  return Buffer.concat([header, pixels, Buffer.alloc(side * Math.ceil(side / 32) * 4)])
}
