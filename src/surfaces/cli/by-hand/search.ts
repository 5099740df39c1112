// `catalog search`: what a search finds, and why.
import type { Command } from 'commander'
import type { Static } from 'typebox'
import { explainSearch } from '../../../features/listings/explain/explain-search.operations.ts'
import {
  placeText,
  pointsText,
  RANKED_WITHOUT_ENDPOINT,
  type ScoredListing,
  scoreParts,
  WORD_USE_TEXTS,
} from '../../../features/listings/explain/explain-search.rules.ts'
import { call } from '../kit/client.ts'
import { examples, printAnswer, printTable, say } from '../kit/output.ts'
import { addFilters, givenOptions } from '../kit/schema-options.ts'

const { q: _, explain: __, listing, ...filters } = explainSearch.parameters.properties
const options = {
  ...filters,
  listing: { ...listing, description: 'Slug of a listing, published or not: where it is, or why it is not found.' },
}

export function addSearch(program: Command): void {
  const command = addFilters(
    program
      .command('search')
      .description('Search as readers do, and show why each listing is found where it is.')
      .argument('<question>', 'What to search for; quote it when it has several words.'),
    options,
  )
  command
    .addHelpText(
      'after',
      examples(
        'search "take notes in meetings"',
        'search "take notes in meetings" --listing acme-writer',
        'search launch --kind directory --json',
      ),
    )
    .action(async (question: string) => {
      const query = { q: question, explain: true, ...givenOptions(command, Object.keys(options)) }
      printAnswer(command, await call(command, 'explain_search', { query }), print)
    })
}

function print({
  total,
  full,
  understood,
  ranking,
  hits,
  words = [],
  listing,
}: Static<typeof explainSearch.data>): void {
  if (listing) {
    say(`${listing.slug} is ${listing.place === undefined ? 'not found' : 'found'}. ${placeText(listing)}`)
    printParts(listing)
    say('')
  }
  say(`${total} found, ${full} with every word.`)
  if (understood) say(`Understood: ${decodeURIComponent(understood)}`)
  if (ranking === 'words') say(RANKED_WITHOUT_ENDPOINT)
  for (const hit of hits) {
    const score = hit.score === undefined ? '' : `, ${pointsText(hit, hit.score)}`
    say(`\n${hit.place}. ${hit.name} (${hit.slug}): ${hit.match}${score}`)
    printParts(hit)
  }
  if (words.length === 0) return
  say('')
  printTable(words, {
    WORD: 'word',
    USE: ({ use }) => WORD_USE_TEXTS[use],
    RARITY: ({ rarity }) => rarity && (rarity / 1000).toFixed(2),
    MATCHES: { cut: ({ terms }) => terms.map(({ term }) => term).join(', ') },
  })
}

function printParts(listing: ScoredListing): void {
  for (const { word, text, points } of scoreParts(listing)) say(`   ${points}  ${word ? `${word}: ` : ''}${text}`)
}
