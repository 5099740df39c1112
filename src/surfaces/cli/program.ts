// The command line: `catalog serve` runs the service, everything else is a thin client of the operator API.
import { Command } from 'commander'
import { addServe } from './serve.ts'

export async function run(argv: string[]): Promise<void> {
  const program = new Command('catalog')
    .description('Catalog Service: a catalog of AI tools and submission directories, over REST and MCP.')
    .showHelpAfterError('(add --help for the options)')
    .showSuggestionAfterError()
  addServe(program)
  await program.parseAsync(argv)
}
