// A Redis server of the test's own, which the test can kill and start again empty.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { Redis } from 'ioredis'
import { until } from './process.ts'
import { freePort } from './service.ts'

export interface RedisServer {
  port: number
  kill(): Promise<void>
  start(): Promise<void>
}

export async function startRedis(): Promise<RedisServer> {
  const port = await freePort()
  let child: ChildProcess
  const server: RedisServer = {
    port,
    async kill() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    async start() {
      const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', tmpdir()]
      child = spawn('redis-server', [...place, '--save', '', '--appendonly', 'no'], { stdio: 'ignore' })
      await until(() => answers(port), 5_000)
    },
  }
  await server.start()
  return server
}

async function answers(port: number): Promise<boolean> {
  const redis = new Redis({ port, lazyConnect: true, retryStrategy: () => null })
  redis.on('error', () => {})
  try {
    await redis.connect()
    return (await redis.ping()) === 'PONG'
  } catch {
    return false
  } finally {
    redis.disconnect()
  }
}
