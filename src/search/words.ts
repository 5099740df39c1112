/**
 * Splits a text into words that compare equal whatever their case, accents or width: compatibility decomposition (NFKD),
 * marks dropped, lower case, a few letters that do not decompose spelled out. A word is a maximal run of letters and
 * digits; apostrophes vanish ("what's" is "whats"); a Chinese or Japanese character is a word by itself, because those
 * scripts put no spaces between words. Everything else, NUL and lone surrogates included, separates.
 */
export function words(text: string): string[] {
  // Most texts are plain ASCII, for which this gives the same words several times faster.
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase().replaceAll("'", '').match(ASCII_WORD) ?? []
  const plain = text.normalize('NFKD').replace(MARKS, '').toLowerCase().replace(UNDECOMPOSED, spellOut)
  return plain.replace(APOSTROPHES, '').match(WORD) ?? []
}

const BEYOND_ASCII = /[^ -~\s]/
const ASCII_WORD = /[a-z0-9]+/g
const MARKS = /\p{M}+/gu
const APOSTROPHES = /['’‘ʼ]/g
const WORD =
  /[[\p{L}\p{N}]&&[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]]|[[\p{L}\p{N}]--[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]]+/gv

// Sigma is here because lower-casing writes it differently at the end of a word, and both forms must compare equal.
const SPELLED = new Map(Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h' }))
  .set('ŧ', 't')
  .set('ı', 'i')
  .set('ς', 'σ')
const UNDECOMPOSED = new RegExp(`[${[...SPELLED.keys()].join('')}]`, 'gu')
const spellOut = (letter: string) => SPELLED.get(letter) ?? letter
