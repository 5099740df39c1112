// The groups of commands that are made from the operations of the operator API. Loading the operations takes about half a second, so this
// file is loaded only when the command line names a group.
import type { Command } from 'commander'
import { type OperatorAnswers, operatorOperations } from '../../features.ts'
import type { RoutedOperation } from '../../kernel/operation.ts'
import { addCommand, groupName } from './derived/command.ts'
import type { Group } from './derived/declared.ts'
import { grantsCommands, keysCommands, personCommands, subscriptionsCommands, usersCommands } from './groups/access.ts'
import * as entries from './groups/entries.ts'
import { ordersCommands, ownersCommands, reviewsCommands } from './groups/founders.ts'
import { partnersCommands, webhooksCommands } from './groups/partners.ts'
import { enrichmentsCommands, picturesCommands } from './groups/pictures.ts'
import * as site from './groups/site.ts'
import { linksCommands, proposalsCommands, submissionsCommands } from './groups/submissions.ts'
import { knowledgeCommands, supportCommands } from './groups/support.ts'
import { examples } from './kit/output.ts'

const GROUPS: Readonly<Record<string, Group>> = {
  keys: keysCommands,
  partners: partnersCommands,
  users: usersCommands,
  person: personCommands,
  subscriptions: subscriptionsCommands,
  grants: grantsCommands,
  categories: entries.categoriesCommands,
  tags: entries.tagsCommands,
  'directory-categories': entries.directoryCategoriesCommands,
  collections: site.collectionsCommands,
  tools: entries.toolsCommands,
  directories: entries.directoriesCommands,
  overview: site.overviewCommands,
  broken: site.brokenCommands,
  submissions: submissionsCommands,
  reviews: reviewsCommands,
  orders: ordersCommands,
  owners: ownersCommands,
  proposals: proposalsCommands,
  links: linksCommands,
  support: supportCommands,
  knowledge: knowledgeCommands,
  webhooks: webhooksCommands,
  enrichments: enrichmentsCommands,
  pictures: picturesCommands,
  site: site.siteCommands,
  unfound: site.unfoundCommands,
  changes: site.changesCommands,
  audit: site.auditCommands,
}

/** Operations that have no command made from them, each with the command that calls it. */
export const PERFORMED_ELSEWHERE: { readonly [N in keyof OperatorAnswers]?: string } = {
  compare_settings: 'catalog doctor',
  take_snapshot: 'catalog backup',
  export_unfound_questions: 'catalog unfound export, which writes a file while it is received',
  import_catalog: 'catalog import, which sends files while it reads them',
  import_table: 'catalog import, for a table',
  preview_table: 'catalog import --preview',
  export_catalog: 'catalog export, which writes a file while it is received',
  export_table: 'catalog export, for a name that ends in .csv',
  explain_search: 'catalog search, which explains the answer',
  export_person: 'catalog person export, which may write a file',
  add_knowledge: 'catalog knowledge add, a call for each file',
  add_partner_knowledge: 'catalog knowledge add --client',
  get_partner_knowledge: 'catalog knowledge list --client',
  put_partner_knowledge: 'catalog knowledge put --client',
  get_waiting: 'catalog overview, whose operation has these counts and more',
}

/**
 * Adds the declared commands to their groups. An operation that no group declares gets a command with derived texts, in the group that
 * its path names. Returns the names of all operations that have a command.
 */
export function addGroupCommands(program: Command): string[] {
  const byName = new Map(operatorOperations.map((operation) => [operation.name, operation]))
  const operationNamed = (name: string): RoutedOperation => {
    const operation = byName.get(name)
    if (!operation) throw new TypeError(`there is no operation ${name}`)
    return operation
  }
  const withCommand: string[] = []
  for (const [name, group] of Object.entries(GROUPS)) {
    const parent = findOrAddCommand(program, name)
    if (group.examples) parent.addHelpText('after', examples(...group.examples))
    for (const command of group.commands) {
      command.add(parent, operationNamed, group.arguments ?? {})
      if (command.operation) withCommand.push(command.operation)
    }
  }
  for (const operation of operatorOperations) {
    if (withCommand.includes(operation.name) || operation.name in PERFORMED_ELSEWHERE) continue
    addUndeclared(program, operation)
    withCommand.push(operation.name)
  }
  return withCommand
}

export function addUndeclared(program: Command, operation: RoutedOperation): void {
  const path = groupName(operation)
  const [name, group] = Object.entries(GROUPS).find(([name, group]) => [name, group.path].includes(path)) ?? [path]
  addCommand(findOrAddCommand(program, name, operation.group), operation, {}, group?.arguments ?? {})
}

const findOrAddCommand = (program: Command, name: string, description = ''): Command =>
  program.commands.find((command) => command.name() === name) ?? program.command(name).description(description)
