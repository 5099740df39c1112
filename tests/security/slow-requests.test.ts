// The service closes connections of clients that send a byte now and then, and no other client waits for them.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { HEADERS_MS, REQUEST_MS, SLOW_CHECK_MS } from '../../src/surfaces/http/requests/request-bodies.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  key = (await service.newKey()).key
  await service.load([{ kind: 'tool', slug: 'one', name: 'One' }])
})

const open = () => {
  const { hostname, port } = new URL(service.origin)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  return socket
}

/** Sends the beginning, then a piece every second; resolves with what was received and after how long the service closed the connection. */
function drip(beginning: string, piece: string): Promise<{ ms: number; received: string }> {
  const socket = open()
  const began = performance.now()
  let received = ''
  return new Promise((resolve) => {
    const timer = setInterval(() => socket.write(piece), 1_000)
    socket.on('data', (chunk) => (received += chunk))
    socket.on('close', () => {
      clearInterval(timer)
      resolve({ ms: performance.now() - began, received })
    })
    socket.write(beginning)
  })
}

const read = async () => expect((await service.rest('/tools/one', { key })).status).toBe(200)

test.concurrent('endless headers get a 408, and the connection is closed', async () => {
  const { ms, received } = await drip('GET /api/v1/tags HTTP/1.1\r\nHost: localhost\r\n', 'X-A: b\r\n')
  expect(received).toMatch(/^HTTP\/1\.1 408 /)
  expect(ms).toBeGreaterThan(HEADERS_MS - 1_000)
})

test.concurrent('a silent connection is closed', async () => {
  await drip('', '')
})

test.concurrent('an endless body for a form that any visitor may send: the connection is closed', async () => {
  const beginning = `POST /sign-in HTTP/1.1\r\nHost: localhost\r\nOrigin: ${service.origin}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nemail=`
  const { ms } = await drip(beginning, 'a')
  expect(ms).toBeGreaterThan(REQUEST_MS - 1_000)
})

test.concurrent('an endless chunked body with a key: the connection is closed', async () => {
  const beginning = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
  await drip(beginning, '1\r\n \r\n')
})

test.concurrent('a refused request with an endless body is answered at once, and the connection is closed', async () => {
  const beginning =
    'POST /api/admin/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n'
  const { received } = await drip(beginning, '1\r\n\n\r\n')
  expect(received).toMatch(/^HTTP\/1\.1 401 /)
})

test.concurrent('an operator’s import may take longer than that', { tags: ['long'] }, async () => {
  const socket = open()
  let received = ''
  socket.on('data', (chunk) => (received += chunk))
  socket.write(
    `POST /api/admin/import HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`,
  )
  const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
  const end = performance.now() + REQUEST_MS + 2 * SLOW_CHECK_MS
  for (let i = 0; performance.now() < end; i++) {
    socket.write(chunk(`{"kind":"tag","slug":"slow-${i}","name":"Slow ${i}"}\n`))
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write('0\r\n\r\n')
  await closed
  expect(received).toMatch(/^HTTP\/1\.1 200 /)
})

test.concurrent('three hundred slow and silent connections keep no other client waiting', async () => {
  const sockets: Socket[] = []
  for (let i = 0; i < 300; i++) {
    const socket = open()
    if (i % 3 === 0) socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n')
    if (i % 3 === 1)
      socket.write(
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      )
    sockets.push(socket)
  }
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  for (let i = 0; i < 50; i++) await read()
  expect(sockets.some((socket) => !socket.destroyed)).toBe(true)
  for (const socket of sockets) socket.destroy()
})

test.concurrent('a client that requests much and reads nothing keeps no other client waiting', async () => {
  const socket = open()
  socket.pause()
  const one = `GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n`
  socket.write(one.repeat(200))
  await once(socket, 'connect')
  for (let i = 0; i < 20; i++) await read()
  socket.destroy()
})
