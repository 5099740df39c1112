// Operator API: the questions to try on the home page, what is learned from searches, and what visitors ask for most.
import { Type } from 'typebox'
import { operation } from '../../../kernel/operation.ts'
import { booleanType, integerType, numberType, oneOf, stringType, titledObject } from '../../../kernel/schema.ts'
import { LEARNING } from '../../settings/rules.ts'
import { exampleQuestions, LEAST_FOUND, mostFullMatches, mostOpenedQuestions } from './examples.ts'

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

const askedSchema = titledObject('AskedQuestion', 'A question of visitors that finds something.', {
  words: stringType('The words of the question that say what was looked for, sorted.', 'clips podcast'),
  opened: numberType(
    'Callers who opened a listing after this question, weighted by age: those of 30 days ago count half.',
    23.5,
  ),
  full: integerType('How many listings match it fully.', 8),
})

const learningSchema = titledObject('SearchLearning', 'What is learned from searches.', {
  setting: oneOf(
    LEARNING,
    'SEARCH_LEARNING. on: questions that are not found are counted, and listings that visitors open after a question move a little; unfound: only the former; off: neither.',
    'on',
  ),
  asked: Type.Array(askedSchema, {
    description:
      'What visitors ask for most: of the questions after which five or more callers opened the same listing within one month, those that find something, the most opened first. Visitors see them when a question finds nothing.',
  }),
})

export const getSearchLearning = operation({
  name: 'get_learning',
  summary: 'What is learned from searches',
  description:
    'Whether the service learns from searches, and the questions that visitors ask most, of those that find something. Nothing about the callers is stored.',
  group: 'Search',
  access: 'operator',
  method: 'GET',
  path: '/learning',
  data: learningSchema,
  run: (ctx) => ({ data: { setting: ctx.searchLearning, asked: mostOpenedQuestions(ctx) } }),
})
