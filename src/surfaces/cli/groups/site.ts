// `catalog site`: the site's own name, words, colour and pages.

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { addVersionGuard, guardGiven } from '../derived/schema-options.ts'
import { call } from '../kit/client.ts'
import { examples } from '../kit/lists.ts'
import { answer, CommandError, say } from '../kit/output.ts'

export function addSite(program: Command): void {
  const site = program.command('site').description("Show and replace the site's own name, words, colour and pages.")
  site.addHelpText('after', examples('site show', 'site show --json > site.json', 'site put site.json'))
  const show = site.command('show', { isDefault: true }).description('Show what visitors see of the site itself.')
  show.addHelpText('after', examples('site show', 'site show --json > site.json')).action(async () => {
    const data = await call(show, 'get_site', {})
    answer(show, data, () => {
      const { texts, links, version, ...lines } = data
      for (const [name, value] of Object.entries(lines)) say(`${name}: ${value ?? '–'}`)
      for (const { label, href } of links) say(`link: ${label} ${href}`)
      for (const [name, text] of Object.entries(texts))
        say(`${name}: ${text === '' ? '–' : `${text.length} characters`}`)
      say(`version: ${version}`)
    })
  })
  const put = site
    .command('put')
    .description('Replace it with the content of a file. What the file omits gets its default.')
  addVersionGuard(put)
    .argument('<file>', 'JSON as "catalog site show --json" prints it.')
    .addHelpText('after', examples('site put site.json', 'site put site.json --if-version 3'))
    .action(async (file: string) => {
      const text = await readFile(file, 'utf8').catch((error: Error) => {
        throw new CommandError(`Cannot read ${file}: ${error.message}.`)
      })
      const { version: _, ...body } = parsed(file, text)
      const data = await call(put, 'put_site', { query: guardGiven(put), body })
      answer(put, data, () => say(`The site is ${data.name} (version ${data.version}).`))
    })
}

function parsed(file: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {}
  throw new CommandError(`${file} must contain one JSON object.`)
}
