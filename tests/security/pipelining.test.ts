// Requests that a client sends on a connection before the earlier ones are answered: a few are answered in order, many close the
// connection.
import { connect } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { MOST_PIPELINED } from '../../src/surfaces/http/requests/raw-refusals.ts'
import { exchange, statusesIn } from '../harness/raw.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService({ RATE_LIMIT_SCALE: '1' })
beforeAll(async () => {
  key = (await service.newKey()).key
  await service.load([{ kind: 'tool', slug: 'one', name: 'One' }])
})

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

test('allowed pipelined requests are answered in order', async () => {
  const paths = Array.from({ length: MOST_PIPELINED + 1 }, (_, i) => (i % 2 === 0 ? '/healthz' : '/media/none'))
  const received = await exchange(service.origin, paths.map(request).join(''), 1_000)
  expect(statusesIn(received)).toEqual(paths.map((path) => (path === '/healthz' ? 200 : 404)))
})

test('too many pipelined requests close the connection, so that they cannot fill the memory', async () => {
  const { hostname, port } = new URL(service.origin)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1')
  })
  socket.on('error', () => {})
  socket.write(request('/').repeat(20_000))
  await new Promise((resolve) => socket.on('close', resolve))
  socket.destroy()
  expect(statusesIn(received).length).toBeLessThanOrEqual(MOST_PIPELINED + 2)
  // A client that still reads is told why the connection was closed.
  if (received.includes('HTTP/1.1 400 ')) expect(received).toContain('requests were sent on this connection')
  expect((await service.rest('/tools/one', { key })).status).toBe(200)
})
