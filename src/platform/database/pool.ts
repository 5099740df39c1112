// The pool of connections to PostgreSQL. The database may hang, which the change listener notices. From then on every request that waits for
// an answer or a connection fails at once, and so does every new one, until the database answers again. Otherwise each statement of each
// request would wait for its own time-out. Code inside a transaction that asks for a second connection is refused.
import { AsyncLocalStorage } from 'node:async_hooks'
import { Socket } from 'node:net'
import pg from 'pg'

type Connected = (error: Error | undefined, client?: pg.PoolClient, release?: (error?: Error) => void) => void

/** `refusal` returns an error if the caller may not have a connection: inside a transaction (`createConnectionGuard`). */
export function openPool(
  config: pg.PoolConfig,
  refusal: () => Error | undefined,
): { pool: pg.Pool; setHanging(hangs: boolean): void } {
  const sockets = new Set<Socket>()
  const waitingCallers = new Set<() => void>()
  let isHanging = false
  const stream = () => {
    const socket = new Socket().once('close', () => sockets.delete(socket))
    sockets.add(socket)
    return socket
  }
  const pool = new pg.Pool({ stream, ...config })
  const connect = pool.connect.bind(pool)

  function connectUnlessHanging(done: Connected): void {
    const refused = refusal()
    if (refused) return void done(refused)
    const fail = () => {
      waitingCallers.delete(fail)
      done(new Error('connection terminated: the database does not answer'))
    }
    waitingCallers.add(fail)
    if (isHanging) fail()
    else
      connect((error, client, release) => {
        if (waitingCallers.delete(fail)) done(error, client, release)
        else client?.release(true)
      })
  }
  const connectOrThrow = () =>
    new Promise<pg.PoolClient>((resolve, reject) =>
      connectUnlessHanging((error, client) => (client ? resolve(client) : reject(error))),
    )
  pool.connect = ((done?: Connected) => (done ? connectUnlessHanging(done) : connectOrThrow())) as typeof pool.connect

  return {
    pool,
    setHanging(hangs) {
      isHanging = hangs
      if (!hangs) return
      for (const fail of waitingCallers) fail()
      for (const socket of sockets) socket.destroy()
    },
  }
}

export class SecondConnectionError extends Error {
  constructor() {
    super('A second connection was asked for inside a transaction. Use the context that the transaction was given.')
  }
}

interface ConnectionGuard {
  /** Runs work that holds a connection; until the work ends, code inside it may not ask for another. */
  hold<T>(work: () => Promise<T>): Promise<T>
  /** The error for a caller that asks for a connection, or undefined. */
  refusal(): SecondConnectionError | undefined
}

/**
 * Inside a transaction no code may ask for another connection: the embedded database has only one, so the transaction would wait for itself
 * and block everything else. On PostgreSQL it would use two connections. It is refused for both, so that tests on either find it.
 */
export function createConnectionGuard(): ConnectionGuard {
  const held = new AsyncLocalStorage<{ isOver: boolean }>()
  return {
    async hold(work) {
      const state = { isOver: false }
      try {
        return await held.run(state, work)
      } finally {
        // Work that was started inside and continues afterwards, such as a timer, may ask for a connection.
        state.isOver = true
      }
    },
    refusal: () => (held.getStore()?.isOver === false ? new SecondConnectionError() : undefined),
  }
}
