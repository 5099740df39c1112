// Operator API: the questions to try on the home page.
import { Type } from 'typebox'
import { operation } from '../../../kernel/operation.ts'
import { booleanType, integerType, stringType, titledObject } from '../../../kernel/schema.ts'
import { exampleQuestions, LEAST_FOUND, mostFullMatches } from './examples.ts'

const exampleSchema = titledObject('SiteExample', 'A question for visitors to try.', {
  question: stringType('The question.', 'free tools for writing'),
  full: integerType('How many listings match it fully.', 12),
  isShown: booleanType(`Whether it is shown: ${LEAST_FOUND} full matches are needed.`, true),
})

export const listSiteExamples = operation({
  name: 'list_site_examples',
  summary: 'The questions to try on the home page',
  description:
    'The examples of the site, or else those made from the catalog, each with the number of listings that match it fully.',
  group: 'Site',
  access: 'operator',
  method: 'GET',
  path: '/site/examples',
  data: Type.Array(exampleSchema),
  run: ({ catalog, site }) => {
    const { examples } = site.fields()
    const shown = exampleQuestions(catalog, examples)
    const listed = examples.length > 0 ? examples : shown
    return {
      data: listed.map((question) => ({
        question,
        full: mostFullMatches(catalog.snapshot(), question),
        isShown: shown.includes(question),
      })),
    }
  },
})

export const exampleOperations = [listSiteExamples]
