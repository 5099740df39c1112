// What a command says: answers on standard output, everything else on standard error.
import { styleText } from 'node:util'
import type { Command } from 'commander'
import { type Column, table } from './table.ts'
import { escaped, escapedLines } from './terminal-text.ts'

/** A mistake that its reader can mend: printed as it is, without a trace, and the command exits with 1. */
export class CommandError extends Error {}

/** Whatever of it came from outside cannot steer the terminal. */
export const say = (text: string): void => {
  process.stdout.write(`${escapedLines(text)}\n`)
}

export const remark = (text: string): void => {
  process.stderr.write(`${escapedLines(text)}\n`)
}

export const wantsJson = (command: Command): boolean => command.optsWithGlobals().json === true

/** The answer as JSON when that was asked for, else in words. */
export function answer<T>(command: Command, data: T, inWords: (data: T) => void): void {
  if (wantsJson(command)) printJson(data)
  else inWords(data)
}

/** Pretty for people, one line for programs. JSON.stringify leaves some control characters as they are. */
export const printJson = (data: unknown): void => say(JSON.stringify(data, null, process.stdout.isTTY ? 2 : 0))

export function printTable<R>(rows: readonly R[], layout: readonly Column<R>[]): void {
  const { text, hidden } = table(rows, layout, process.stdout.isTTY ? process.stdout.columns || undefined : undefined)
  process.stdout.write(text)
  if (hidden.length > 0) remark(`\nNo room for ${hidden.join(', ')}. A wider terminal or --json shows everything.`)
}

/** Things that nobody can look up again, by name. */
export function printSecrets(secrets: Record<string, string>): void {
  for (const [name, secret] of Object.entries(secrets))
    process.stdout.write(`\n${name}:\n\n  ${styleText('bold', escaped(secret))}\n`)
  const [they, them] = Object.keys(secrets).length === 1 ? ['It is', 'it'] : ['They are', 'them']
  say(`\n${they} shown only once and cannot be looked up later. Store ${them} now.`)
}
