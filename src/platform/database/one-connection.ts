// Inside a transaction no code may ask for another connection: the embedded database has only one, so the transaction would wait for
// itself and block everything else. On PostgreSQL it would use two connections. It is refused for both, so that tests on either find it.
import { AsyncLocalStorage } from 'node:async_hooks'

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
