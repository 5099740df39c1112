// What the commands that work on the data itself have in common: the service's own settings, and failures in words.
import { type Config, ConfigError, loadConfig } from '../../config.ts'
import { CommandError } from './output.ts'

export function localConfig(): Config {
  try {
    return loadConfig()
  } catch (error) {
    throw error instanceof ConfigError ? new CommandError(error.message) : error
  }
}

/** What the operator can mend is said in words; anything else is a bug and keeps its trace. */
export async function mended<T>(work: () => Promise<T>): Promise<T> {
  const { OperatingError } = await import('../../operating/failures.ts')
  try {
    return await work()
  } catch (error) {
    throw error instanceof OperatingError ? new CommandError(error.message) : error
  }
}
