// Stops and starts the PostgreSQL that tests/with-servers.sh started.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

const { TEST_POSTGRES_BIN, TEST_POSTGRES_DATA } = process.env

async function control(...words: string[]): Promise<void> {
  const place = ['-D', TEST_POSTGRES_DATA!, '-l', `${TEST_POSTGRES_DATA}.log`]
  const command = [`${TEST_POSTGRES_BIN}/pg_ctl`, ...place, '-w', ...words]
  // PostgreSQL refuses to run as root.
  const asPostgres = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--', ...command] : command
  const [code] = await once(spawn(asPostgres[0]!, asPostgres.slice(1), { cwd: '/', stdio: 'ignore' }), 'exit')
  if (code !== 0) throw new Error(`pg_ctl ${words.join(' ')} ended with ${code}; see ${TEST_POSTGRES_DATA}.log`)
}

/** Like a crash: PostgreSQL writes nothing before it ends. */
export const restartPostgres = (): Promise<void> => control('-m', 'immediate', 'restart')
export const stopPostgres = (): Promise<void> => control('-m', 'immediate', 'stop')

export function startPostgres(): Promise<void> {
  // The server's port and folders were given on the command line, which this file keeps.
  const options = [...readFileSync(`${TEST_POSTGRES_DATA}/postmaster.opts`, 'utf8').matchAll(/"([^"]*)"/g)]
  return control('-o', options.map(([, word]) => `'${word}'`).join(' '), 'start')
}
