// `catalog server-json`: the file with which an operator lists this installation in the official MCP registry.
import type { Command } from 'commander'
import { cardPath, MCP_SERVERS, registryFile } from '../../http/mcp-servers.ts'
import { connectionOf } from '../kit/connection.ts'
import { CommandError, examples, say } from '../kit/output.ts'

const ANSWER_MS = 10_000

export function addServerJson(program: Command): void {
  const command = program
    .command('server-json')
    .description('Print server.json, the file that the official MCP registry takes.')
    .option('--name <name>', 'Name in the registry, when the namespace is not the domain of the service.')
    .addHelpText('after', examples('server-json > server.json', 'server-json --name io.github.acme/catalog'))
  command.action(async ({ name }: { name?: string }) => {
    // The running service knows its public address and version.
    const address = `${connectionOf(command).url}${cardPath(MCP_SERVERS[0])}`
    const card = await readCard(address)
    const [remote] = card.remotes
    if (!remote) throw new CommandError(`${address} names no address of the service.`)
    // If the card requires no header, such as a key, agents may sign in instead.
    const agentsSignIn = remote.headers.every(({ isRequired }) => !isRequired)
    const names = { name: card.title, description: card.description }
    const file = registryFile({ publicUrl: new URL(remote.url).origin, version: card.version, agentsSignIn, names })
    say(JSON.stringify({ ...file, ...(name === undefined ? {} : { name }) }, null, 2))
  })
}

/** The parts of the service's MCP server card that are read here. */
interface Card {
  title: string
  description: string
  version: string
  remotes: readonly { url: string; headers: readonly { isRequired: boolean }[] }[]
}

async function readCard(address: string): Promise<Card> {
  const response = await fetch(address, { signal: AbortSignal.timeout(ANSWER_MS) }).catch((error: Error) => {
    throw new CommandError(`The service did not answer at ${address}: ${error.message}. Is it running?`)
  })
  if (!response.ok) throw new CommandError(`${address} answered ${response.status}.`)
  return (await response.json()) as Card
}
