// A pool of connections to a PostgreSQL that may hang. When the change listener notices that it hangs, every request that waits for an
// answer or a connection fails at once, and so does every new one until the database answers again. Otherwise each statement of each
// request would wait for its own time-out.
import { Socket } from 'node:net'
import pg from 'pg'

type Connected = (error: Error | undefined, client?: pg.PoolClient, release?: (error?: Error) => void) => void

/** `refusal` returns an error if no connection may be given at this moment. */
export function openPool(
  config: pg.PoolConfig,
  refusal: () => Error | undefined,
): { pool: pg.Pool; setHanging(hangs: boolean): void } {
  const sockets = new Set<Socket>()
  const waiting = new Set<() => void>()
  let isStalled = false
  const stream = () => {
    const socket = new Socket().once('close', () => sockets.delete(socket))
    sockets.add(socket)
    return socket
  }
  const pool = new pg.Pool({ stream, ...config })
  const connect = pool.connect.bind(pool)

  function connectUnlessStalled(done: Connected): void {
    const refused = refusal()
    if (refused) return void done(refused)
    const refuse = () => {
      waiting.delete(refuse)
      done(new Error('connection terminated: the database does not answer'))
    }
    waiting.add(refuse)
    if (isStalled) refuse()
    else
      connect((error, client, release) => {
        if (waiting.delete(refuse)) done(error, client, release)
        else client?.release(true)
      })
  }
  const connectOrThrow = () =>
    new Promise<pg.PoolClient>((resolve, reject) =>
      connectUnlessStalled((error, client) => (client ? resolve(client) : reject(error))),
    )
  pool.connect = ((done?: Connected) => (done ? connectUnlessStalled(done) : connectOrThrow())) as typeof pool.connect

  return {
    pool,
    setHanging(hangs) {
      isStalled = hangs
      if (!hangs) return
      for (const refuse of waiting) refuse()
      for (const socket of sockets) socket.destroy()
    },
  }
}
