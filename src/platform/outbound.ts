import { type Outbound, OutboundRefused } from '../kernel/outbound.ts'

export function createOutbound(_options: { allowed: readonly string[] }): Outbound & { close(): Promise<void> } {
  return {
    fetch: async () => {
      throw new OutboundRefused('Outbound requests are not built yet.')
    },
    close: async () => {},
  }
}
