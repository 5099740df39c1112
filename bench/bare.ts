// The reference for the hot search: the least that a Fastify route can do to answer the same bytes.
import { readFileSync } from 'node:fs'
import Fastify from 'fastify'

const [port, path, bytesFile] = process.argv.slice(2)
const bytes = readFileSync(bytesFile!)
const server = Fastify()
server.get(path!, async (_request, reply) =>
  reply.header('content-type', 'application/json; charset=utf-8').send(bytes),
)
await server.listen({ host: '127.0.0.1', port: Number(port) })
process.on('SIGINT', () => process.exit(0))
