import type { Outbound } from '../../kernel/outbound.ts'
import type { OutboundOptions } from './outbound.ts'

/** Outbound requests whose library is loaded with the first of them, because it takes 25 MB and a server without background work makes none. */
export function createOutboundOnDemand(options: OutboundOptions): Outbound & { close(): Promise<void> } {
  let loading: Promise<ReturnType<typeof import('./outbound.ts')['createOutbound']>> | undefined
  return {
    async fetch(url, request) {
      loading ??= import('./outbound.ts').then(({ createOutbound }) => createOutbound(options))
      return (await loading).fetch(url, request)
    },
    async close() {
      await (await loading)?.close()
    },
  }
}
