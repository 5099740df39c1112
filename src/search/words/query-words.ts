// The words of a query: which of them count, and which only ask or join.
import { LONGEST_JOINED, shortParts, words } from './words.ts'

export interface QueryWord {
  word: string
  /** The word written as one with the word before or after it: "chat gpt" may be called "chatgpt". */
  joined: readonly string[]
  /** Whether the word only asks ("I need something that"); it says nothing about what is asked for. */
  asks: boolean
  /** Whether a full match may lack it. */
  isOptional: boolean
  /** Whether longer words do not match, because it is a short part of a compound: the "up" of "follow-up" is no beginning of "upload". */
  isWhole: boolean
}

export interface QueryWords {
  /** Every word in the order typed, to compare with the names of documents. */
  typed: string[]
  /** The distinct words that a document must match to match fully. */
  required: QueryWord[]
}

/** Function words are required only when the query has no other word. With `lenient`, words of asking are optional. */
export function queryWords(q: string, lenient = false): QueryWords {
  const typed = words(q)
  const joined = new Map<string, string[]>(typed.map((word) => [word, []]))
  for (const [at, word] of typed.entries()) {
    const next = typed[at + 1]
    if (next === undefined || word.length + next.length > LONGEST_JOINED) continue
    joined.get(word)?.push(word + next)
    joined.get(next)?.push(word + next)
  }
  const short = lenient ? shortParts(q) : undefined
  const distinct = [...joined.keys()].map((word) => {
    const asks = ASKING_WORDS.has(word)
    const isOptional = lenient && (asks || ALSO_ASKING.has(word))
    return { word, joined: [...new Set(joined.get(word))], asks, isOptional, isWhole: short?.has(word) ?? false }
  })
  const contentWords = distinct.filter(({ word }) => !FUNCTION_WORDS.has(word))
  return { typed, required: contentWords.length > 0 ? contentWords : distinct }
}

const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Words that carry grammar and no meaning. "not" and "no" are absent, because they change the meaning. */
export const FUNCTION_WORDS: ReadonlySet<string> = wordSet(`
  a an the and or but of for with to in on at by from into about as than then is are was were be been am do does did
  has have had can will would should i me my you your he she his her it its we us our they them their this that these
  those there which who what how when where if so such some any also just via
`)

/** Words with which people ask, whatever they ask for. */
export const ASKING_WORDS: ReadonlySet<string> = wordSet(`
  need needs needed want wants wanted wish wishes wanna gonna looking please something anything someone anyone everything
  recommend recommends recommendation recommendations suggest suggests suggestion suggestions could may might must shall
  let lets im ive id ill youre dont doesnt didnt cant couldnt isnt arent wont whats wheres hows theres thats
  know tell hello hi hey thanks thank kindly really actually maybe possible possibly help helps helped helping
  wondering wonder curious interested able tool tools app apps plugin plugins software
  thing things stuff way ways kind sort every more while between without
`)

/** Words with which people ask a catalog. They count in a partial match, because some listings are about links or sites. */
export const ALSO_ASKING: ReadonlySet<string> = wordSet(`
  directory directories link links backlink backlinks site sites website websites webpage place places platform platforms
  product products service services solution solutions list lists find finding show get getting give use using used
  best top good great one ones all myself yourself themselves other others lets allows submit submitting
`)
