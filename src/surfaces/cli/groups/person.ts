// `catalog person`: everything that is stored about one person.
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { call } from '../kit/client.ts'
import { confirm } from '../kit/confirm.ts'
import { examples } from '../kit/lists.ts'
import { answer, printJson, remark, say } from '../kit/output.ts'
import { targetOf, writeTarget } from '../kit/whole-file.ts'

export function addPerson(program: Command): void {
  const person = program.command('person').description('Export or delete everything about one person.')
  person.addHelpText('after', examples('person export ada@example.com ada.json', 'person delete ada@example.com'))

  const exported = person.command('export').description('Everything that is stored about a person, as JSON.')
  exported
    .argument('<email>', 'E-mail address of the person.')
    .argument('[file]', 'File to write; standard output by default.')
    .addHelpText('after', examples('person export ada@example.com ada.json'))
    .action(async (email: string, file?: string) => {
      const target = file === undefined ? null : targetOf(file)
      const data = await call(exported, 'export_person', { body: { email } })
      if (target === null) return printJson(data)
      await writeTarget(target, (sink) => pipeline([`${JSON.stringify(data, null, 2)}\n`], sink))
      remark(`Wrote ${file}.`)
    })

  const deleted = person.command('delete').description('Delete everything about a person. It cannot be undone.')
  deleted
    .argument('<email>', 'E-mail address of the person.')
    .option('--yes', 'Do not ask.')
    .addHelpText('after', examples('person delete ada@example.com', 'person delete ada@example.com --yes --json'))
    .action(async (email: string, { yes }: { yes?: boolean }) => {
      if (!yes) await confirm(deleted, `Delete everything about ${email} for good?`)
      const erased = await call(deleted, 'delete_person', { body: { email } })
      answer(deleted, erased, () => {
        const counts = Object.entries(erased.removed).map(([kind, count]) => `${kind} ${count}`)
        if (counts.length === 0) say(`Nothing is stored about ${email}.`)
        else say(`Deleted: ${counts.join(', ')}. The audit log calls the person ${erased.pseudonym}.`)
        for (const { table, rows, reason } of erased.stays) say(`The address is still in ${table} (${rows}): ${reason}`)
      })
    })
}
