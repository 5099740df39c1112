// Connections to a PostgreSQL that may hang: when that is noticed, whoever waits for an answer or for a connection is told at once, and so is
// whoever comes while it lasts. Each would wait in vain, and whoever needs several statements for each of them.
import { Socket } from 'node:net'
import pg from 'pg'

type Connected = (error: Error | undefined, client?: pg.PoolClient, release?: (error?: Error) => void) => void

/** `refusal`: why no connection is given at this moment, if there is a reason. */
export function openPool(
  config: pg.PoolConfig,
  refusal: () => Error | undefined,
): { pool: pg.Pool; isHanging(so: boolean): void } {
  const sockets = new Set<Socket>()
  const waiting = new Set<() => void>()
  let hangs = false
  const stream = () => {
    const socket = new Socket().once('close', () => sockets.delete(socket))
    sockets.add(socket)
    return socket
  }
  const pool = new pg.Pool({ stream, ...config })
  const connect = pool.connect.bind(pool)

  function connectUnlessItHangs(done: Connected): void {
    const refused = refusal()
    if (refused) return void done(refused)
    const refuse = () => {
      waiting.delete(refuse)
      done(new Error('connection terminated: the database does not answer'))
    }
    waiting.add(refuse)
    if (hangs) refuse()
    else
      connect((error, client, release) => {
        if (waiting.delete(refuse)) done(error, client, release)
        else client?.release(true)
      })
  }
  const connectOrThrow = () =>
    new Promise<pg.PoolClient>((resolve, reject) =>
      connectUnlessItHangs((error, client) => (client ? resolve(client) : reject(error))),
    )
  pool.connect = ((done?: Connected) => (done ? connectUnlessItHangs(done) : connectOrThrow())) as typeof pool.connect

  return {
    pool,
    isHanging(so) {
      hangs = so
      if (!so) return
      for (const refuse of waiting) refuse()
      for (const socket of sockets) socket.destroy()
    },
  }
}
