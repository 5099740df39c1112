// Checks where the service listens, and which addresses it can and must not reach.
import { createServer } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Config } from '../../config.ts'
import { isInside } from '../../kernel/addresses/web-address.ts'
import { createResolver } from '../../platform/outbound/connect.ts'
import { type DoctorFinding, findingsAbout, reasonOf } from './finding.ts'

const aboutPort = findingsAbout('Port')
const ANSWER_MS = 3_000

/** Whether the service answers at the address in the settings. */
export const isServiceRunning = (config: Config): Promise<boolean> => answersAsService(originOf(config))

/** The address of this machine itself, for a HOST that means every interface. */
const OWN_ADDRESS_FOR: Readonly<Record<string, string | undefined>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** The address at which this machine reaches the service. */
export function originOf({ HOST, PORT }: Config): string {
  const host = OWN_ADDRESS_FOR[HOST] ?? HOST
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`
}

/** The metrics of the service on this machine; empty when it does not show them here. */
export async function metricsOf(origin: string): Promise<string> {
  const response = await fetch(`${origin}/metrics`, { signal: AbortSignal.timeout(5_000) }).catch(() => null)
  return response?.ok ? response.text() : ''
}

async function answersAsService(origin: string): Promise<boolean> {
  try {
    const response = await fetch(`${origin}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'error' })
    const answer = (await response.json()) as { success?: boolean; data?: { status?: string } }
    return answer.success === true && answer.data?.status === 'ok'
  } catch {
    return false
  }
}

export async function examinePort(config: Config, isRunning: boolean): Promise<DoctorFinding[]> {
  const place = `${config.HOST}:${config.PORT}`
  if (isRunning) return [aboutPort.ok(`The service is running at ${place}.`), ...(await examinePublicUrl(config))]
  const code = await listenError(config.HOST, config.PORT)
  if (code === null) return [aboutPort.ok(`${place} is free.`)]
  if (code === 'EADDRINUSE')
    return [
      aboutPort.problem(`${place} is taken by another program.`, 'Stop that one, or set PORT. To see it: ss -ltnp'),
    ]
  if (code === 'EACCES')
    return [
      aboutPort.problem(
        `This user may not listen at ${place}.`,
        'Set PORT to 1024 or more, and let a reverse proxy have the other.',
      ),
    ]
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return [
      aboutPort.problem(`HOST ${config.HOST} is no address of this machine.`, 'Set HOST to 127.0.0.1 or 0.0.0.0.'),
    ]
  return [aboutPort.problem(`Listening at ${place} fails: ${code}.`, 'Check HOST and PORT.')]
}

function listenError(host: string, port: number): Promise<string | null> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(port, host, () => server.close(() => resolve(null)))
  })
}

async function examinePublicUrl({ PUBLIC_URL }: Config): Promise<DoctorFinding[]> {
  if (!PUBLIC_URL) return []
  return (await answersAsService(PUBLIC_URL))
    ? [aboutPort.ok(`PUBLIC_URL ${PUBLIC_URL} leads to it.`)]
    : [
        aboutPort.warning(
          `PUBLIC_URL ${PUBLIC_URL} does not lead to it from here.`,
          'Check the reverse proxy, its certificate and the name. Where this machine cannot reach its own name, try from another.',
        ),
      ]
}

// Addresses that a listing or webhook of a partner must never make the service reach.
const SENSITIVE = [
  ['169.254.169.254', "the machine's own credentials at a cloud provider"],
  ['127.0.0.1', 'whatever else runs on this machine'],
] as const

export async function examineOutbound({ OUTBOUND_ALLOW_CIDRS: allowed }: Config): Promise<DoctorFinding[]> {
  const about = findingsAbout('Outbound')
  const found: DoctorFinding[] = []
  const open = allowed.filter((network) => Number(network.split('/')[1]) === 0)
  if (open.length > 0)
    found.push(
      about.problem(
        `OUTBOUND_ALLOW_CIDRS allows everything (${open.join(', ')}).`,
        'Name only the networks that are needed.',
      ),
    )
  else
    for (const [address, what] of SENSITIVE)
      if (isInside(ipaddr.process(address), allowed))
        found.push(
          about.warning(
            `OUTBOUND_ALLOW_CIDRS lets partners' addresses reach ${address}: ${what}.`,
            'Leave it out, except on a machine for trying things.',
          ),
        )
  if (found.length === 0)
    found.push(
      about.ok(
        allowed.length > 0
          ? `Public addresses and ${allowed.join(', ')} may be reached.`
          : 'Only public addresses may be reached.',
      ),
    )
  const resolver = createResolver(allowed)
  try {
    await resolver.resolve('example.com')
    found.push(about.ok('Names can be looked up.'))
  } catch (error) {
    found.push(
      about.warning(
        `Names cannot be looked up (${reasonOf(error)}): webhooks and pictures of sites will fail.`,
        'Check /etc/resolv.conf and the firewall. On a machine without the internet this is as it must be.',
      ),
    )
  } finally {
    resolver.cancel()
  }
  return found
}
