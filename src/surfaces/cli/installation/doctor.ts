// `catalog doctor`: prints what is wrong with this installation and what to do about it.
import { styleText } from 'node:util'
import type { Command } from 'commander'
import { counted, examples, printAnswer, remark } from '../kit/output.ts'
import { escaped } from '../kit/terminal-text.ts'

const COLOURS = { ok: 'green', warning: 'yellow', problem: 'red' } as const

export function addDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .description(
      'Check settings, database, Redis, storage, secrets, clocks and neighbours; say what to do. Exit status 1 with problems.',
    )
    .addHelpText('after', examples('doctor', 'doctor --json'))
  command.action(async () => {
    const { examine } = await import('../../../operating/doctor/doctor.ts')
    const findings = await examine()
    const count = (state: string) => findings.filter((finding) => finding.state === state).length
    const [problems, warnings] = [count('problem'), count('warning')]
    if (problems > 0) process.exitCode = 1
    printAnswer(command, { healthy: problems === 0, problems, warnings, findings }, () => {
      const width = Math.max(...findings.map(({ about }) => about.length))
      for (const { about, state, says, remedy } of findings) {
        const mark = styleText(COLOURS[state], state.padEnd('problem'.length))
        process.stdout.write(`${mark}  ${about.padEnd(width)}  ${escaped(says)}\n`)
        if (remedy) process.stdout.write(`${' '.repeat('problem'.length + width + 4)}→ ${escaped(remedy)}\n`)
      }
      remark(`\n${counted(problems, 'problem', 'problems')}, ${counted(warnings, 'warning', 'warnings')}.`)
    })
  })
}
