// `catalog audit`: who changed what and when.
import type { Command } from 'commander'
import { auditFilters } from '../../../features/audit/schema.ts'
import { addList, examples } from '../kit/lists.ts'
import { shortTime } from '../kit/table.ts'

export function addAudit(program: Command): void {
  const audit = program.command('audit').description('Show who changed what and when.')
  audit.addHelpText('after', examples('audit', 'audit list --limit 20'))
  addList(
    audit,
    {
      operation: 'list_audit',
      description: 'List the changes, newest first.',
      empty: 'Nothing was changed yet.',
      filters: auditFilters,
      none: 'Nothing of that kind was changed.',
      columns: [
        { title: 'WHEN', value: (entry) => shortTime(entry.at) },
        { title: 'WHO', value: (entry) => entry.actor, cuttable: true },
        { title: 'WHAT', value: (entry) => entry.action },
        { title: 'ON', value: (entry) => entry.subject, cuttable: true },
        { title: 'DETAILS', value: (entry) => (hasNone(entry.details) ? '' : entry.details), cuttable: true },
      ],
      examples: examples('audit', 'audit list --limit 20', 'audit list --subject tool:acme-writer'),
    },
    { isDefault: true },
  )
}

const hasNone = (details: unknown) =>
  typeof details === 'object' && details !== null && Object.keys(details).length === 0
