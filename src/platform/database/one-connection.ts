// Inside a transaction nothing may ask for another connection: the embedded database has only one, so the transaction would wait for
// itself, and with it everything else. On PostgreSQL it would take two of few. Both are refused at once, where a test finds it.
import { AsyncLocalStorage } from 'node:async_hooks'

export class SecondConnection extends Error {
  constructor() {
    super('A second connection was asked for inside a transaction. Use the context that the transaction was given.')
  }
}

export interface OneConnection {
  /** Runs the work of one connection; what it awaits may not ask for another. */
  hold<T>(work: () => Promise<T>): Promise<T>
  /** The error for a caller that asks for a connection, or undefined. */
  refusal(): SecondConnection | undefined
}

export function createOneConnection(): OneConnection {
  const held = new AsyncLocalStorage<{ isOver: boolean }>()
  return {
    async hold(work) {
      const state = { isOver: false }
      try {
        return await held.run(state, work)
      } finally {
        // What was begun inside and goes on afterwards, such as a timer, is free to ask.
        state.isOver = true
      }
    },
    refusal: () => (held.getStore()?.isOver === false ? new SecondConnection() : undefined),
  }
}
