// Everything that is taken from the HTML of a page.
import { loadBuffer } from 'cheerio'
import { findQuestions, type Question } from './faq.rules.ts'
import { type Features, findFeatures } from './features.rules.ts'
import { findIcons, findShared } from './pictures.rules.ts'
import { textOf } from './text.rules.ts'

export interface PageSource {
  bytes: Uint8Array
  /** Where it came from, after redirects. */
  url: string
  contentType: string
}

export interface PageFacts {
  /** Addresses, best first. */
  icons: string[]
  shared: string[]
  questions: Question[]
  features: Features
  /** What a reader would see, for a language model. */
  text: string
}

const TEXT_LENGTH = 6000

export function readPage({ bytes, url, contentType }: PageSource): PageFacts {
  const charset = /charset\s*=\s*["']?([\w:-]{1,40})/i.exec(contentType)?.[1]
  const $ = loadBuffer(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
    encoding: { defaultEncoding: 'utf-8', ...(charset ? { transportLayerEncodingLabel: charset } : {}) },
  })
  return {
    icons: findIcons($, url),
    shared: findShared($, url),
    questions: findQuestions($),
    features: findFeatures($),
    text: textOf($('body').toArray(), TEXT_LENGTH),
  }
}
