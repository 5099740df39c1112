import { pick, randomFrom } from './catalog.ts'

const VOWELS = 'aeiou'
/** Each at a place after the first letter: people get that one right. */
const MISTAKES: readonly ((word: string, at: number) => string)[] = [
  (word, at) => word.slice(0, at) + word.slice(at + 1),
  (word, at) => word.slice(0, at) + word.slice(at - 1),
  (word, at) => word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2),
  (word) => word.replace(/([a-z])\1/, '$1'),
  (word, at) =>
    word.slice(0, at) +
    word.slice(at).replace(/[aeiou]/, (vowel) => VOWELS.charAt((VOWELS.indexOf(vowel) + 1 + (at % 4)) % VOWELS.length)),
  (word) => word.replace('ph', 'f').replace('ie', 'ei').replace('tion', 'sion').replace('que', 'k'),
]

/** Words of the texts, each with a mistake that people make when they write or type; always the same for the same texts. */
export function misspeltWords(texts: readonly string[], count: number): { right: string; wrong: string }[] {
  const random = randomFrom(6)
  const words = texts.flatMap((text) => text.toLowerCase().match(/(?<![\w-])[a-z]{4,}(?![\w-])/g) ?? [])
  const known = new Set(words)
  const pairs = new Map<string, string>()
  while (pairs.size < count) {
    const right = pick(random, words)
    const wrong = pick(random, MISTAKES)(right, 1 + Math.floor(random() * (right.length - 1)))
    const isOther = [...known].every((word) => !word.startsWith(wrong))
    if (isOther && new Set(pairs.values()).has(right) === false) pairs.set(wrong, right)
  }
  return [...pairs].map(([wrong, right]) => ({ right, wrong }))
}
