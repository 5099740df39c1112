// Runs a benchmark that prints its results as a table: the exit status is 1 when a target was missed.
import { endAll } from './processes.ts'
import { missed, printResults } from './table.ts'

export async function runBench(main: () => Promise<void>): Promise<never> {
  try {
    await main()
    printResults()
    process.exitCode = missed() ? 1 : 0
  } finally {
    await endAll()
  }
  process.exit()
}
