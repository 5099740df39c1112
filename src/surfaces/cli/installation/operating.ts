// Shared by the commands that work on the data itself: the service's own settings, and readable errors.
import { type Config, ConfigError, loadConfig } from '../../../config.ts'
import { CommandError } from '../kit/output.ts'

export function localConfig(): Config {
  try {
    return loadConfig()
  } catch (error) {
    throw error instanceof ConfigError ? new CommandError(error.message) : error
  }
}

/** Prints an error that the operator can fix as one message. Any other error is a bug and keeps its stack trace. */
export async function withReadableErrors<T>(work: () => Promise<T>): Promise<T> {
  const { OperatingError } = await import('../../../operating/failures.ts')
  try {
    return await work()
  } catch (error) {
    throw error instanceof OperatingError ? new CommandError(error.message) : error
  }
}
