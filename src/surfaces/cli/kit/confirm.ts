import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { CommandError } from './output.ts'

/** Returns only if a person at a terminal answers yes. */
export async function confirm(command: Command, question: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    command.error('error: there is no terminal to ask at; add --yes to go ahead without a question')
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  const reply = await new Promise<string>((resolve) => {
    // Ctrl-C and Ctrl-D close the prompt without a reply and without a line break.
    prompt.on('close', () => resolve('\n'))
    prompt.question(`${question} [y/N] `, resolve)
  })
  prompt.close()
  if (reply === '\n') process.stderr.write('\n')
  if (!/^y(es)?$/i.test(reply.trim())) throw new CommandError('Nothing was changed.')
}
