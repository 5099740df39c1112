// Derives questions and features from the listing alone, for tools whose site has none, when no language model is configured.
import type { Pricing } from '../../catalog/schema.ts'
import { boundedQuestions, type FoundQuestion } from './faq.rules.ts'
import { boundedFeatures, type Features, splitFeature } from './features.rules.ts'

export interface DescribedTool {
  name: string
  tagline: string
  description: string
  pricing: Pricing
  category: string | null
  tags: readonly string[]
}

const PRICING_ANSWERS = {
  FREE: (name: string) => `Yes, ${name} is free.`,
  FREEMIUM: (name: string) => `${name} has a free plan and paid plans.`,
  PAID: (name: string) => `${name} is a paid product.`,
}

export function deriveQuestions(tool: DescribedTool): FoundQuestion[] {
  const { name, tagline, description, pricing, category, tags } = tool
  const topics = [category, ...tags].filter((topic) => topic !== null)
  return boundedQuestions([
    { question: `What is ${name}?`, answer: [tagline, ...sentences(description).slice(0, 3)].map(withDot).join(' ') },
    { question: `Is ${name} free?`, answer: PRICING_ANSWERS[pricing](name) },
    ...(topics.length > 0
      ? [{ question: `What is ${name} for?`, answer: `${name} is listed under ${joinedWithAnd(topics)}.` }]
      : []),
  ])
}

/** A line that begins as a list item: with a bullet or a number. */
const LIST_ITEM = /^\s*(?:[-*•–]|\d{1,2}[.)])\s+(\S.*)$/

/** The list items of the description; if it has none, each tag with the sentence that mentions it. */
export function deriveFeatures({ description, tagline, tags }: DescribedTool): Features {
  const points = description.split('\n').flatMap((line) => LIST_ITEM.exec(line)?.[1] ?? [])
  if (points.length >= 2) return boundedFeatures(points.map(splitFeature))
  const all = sentences(description)
  return boundedFeatures(
    tags.map((tag) => [
      tag,
      all.find((sentence) => sentence.toLowerCase().includes(tag.toLowerCase())) ?? withDot(tagline),
    ]),
  )
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })
const sentences = (text: string): string[] =>
  [...segmenter.segment(text.slice(0, 20_000))].map(({ segment }) => segment.trim()).filter(Boolean)

const withDot = (text: string): string => (/[.!?…。]$/u.test(text.trim()) ? text.trim() : `${text.trim()}.`)
const joinedWithAnd = (items: readonly string[]): string => new Intl.ListFormat('en').format(items)
