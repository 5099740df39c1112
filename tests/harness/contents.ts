// Kinds of content that a field accepts at its greatest length: one piece again and again, and texts whose words are all different.

export interface Content {
  name: string
  /** Exactly `size` UTF-16 units, or a few less. Another `from` gives other words where the words are all different. */
  text(size: number, from?: number): string
}

/** Most patterns take long only when they fail at the end. */
const END = ' .x'

const cut = (text: string, size: number): string => text.slice(0, Math.max(1, size)).toWellFormed()

const repeated = (name: string, piece: string): Content => ({
  name,
  text: (size) =>
    size < piece.length + END.length
      ? cut(piece, size)
      : piece.repeat(Math.floor((size - END.length) / piece.length)) + END,
})

const made = (name: string, word: (number: number) => string, between = ' '): Content => ({
  name,
  text(size, from = 0) {
    let text = word(from)
    for (let i = 1; text.length < size; i++) text += between + word(from + i)
    return cut(text, size)
  },
})

const letters = (number: number): string => number.toString(36).replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)]!)
/** The same number always gives the same ones, and neighbouring numbers give very different ones. */
const mixed = (number: number): number => Math.imul(number + 1, 0x9e3779b1) >>> 0
const ideograph = (number: number): string => String.fromCodePoint(0x4e00 + (mixed(number) % 20_000))

const PIECES: Readonly<Record<string, string>> = {
  'one letter': 'a',
  'one capital': 'Z',
  ideographs: '漢',
  kana: 'か',
  Hangul: '한글',
  'Thai without spaces': 'ภาษาไทย',
  'Khmer without spaces': 'ភាសាខ្មែរ',
  Cyrillic: 'Ж',
  Hebrew: 'א',
  Arabic: 'شكرا ',
  'right-to-left marks': 'a\u202eb\u202c',
  'letters with combining marks': 'e\u0301',
  'combining marks': '\u0301\u0323',
  umlauts: 'ü',
  'letters that grow in lower case': 'İ',
  'letters that grow in upper case': 'ß',
  'signs that grow when decomposed': 'ﷺ',
  ligatures: 'ﬁ',
  'zero-width spaces': 'a\u200b',
  'zero-width joiners': '👩‍👩‍👧‍👦',
  emoji: '😀',
  'regional indicators': '🇩',
  dots: '.',
  dashes: '-',
  underscores: '_',
  slashes: '/',
  backslashes: '\\',
  colons: ':',
  commas: ',',
  'question marks': '? ',
  'double quotes': '"',
  'single quotes': "'",
  'curly quotes': '“a” ',
  'round brackets': '(',
  'square brackets': '[',
  'closed brackets': '[]',
  braces: '{',
  stars: '*',
  'stars with letters': '**a ',
  'letters in underscores': '_a_',
  backticks: '`',
  hashes: '# ',
  quotations: '> ',
  'list items': '- a\n',
  'nested lists': '- - ',
  tables: '|-',
  'links in Markdown': '[a](b) ',
  'pictures in Markdown': '![a](',
  'strike-through': '~~a',
  digits: '1',
  'digits with dots': '1.',
  'digits with commas': '1,',
  'letters with dots': 'a.',
  'letters with dashes': 'a-',
  'letters with underscores': 'a_',
  'letters with apostrophes': "a'",
  'C++': 'C++ ',
  URLs: 'https://x.example/a ',
  'at signs': '@',
  'e-mail addresses': 'a@b.example ',
  'bare domains': 'www.',
  'less-than signs': '<',
  tags: '<b>',
  'closing tags': '</a',
  comments: '<!--',
  scripts: '<script>',
  entities: '&amp;',
  'numeric entities': '&#',
  'percent signs': '%41',
  spaces: 'a  ',
  newlines: 'a\n',
  paragraphs: 'a\n\n',
  tabs: 'a\t',
  JSON: '{"a":["b",',
  sentences: 'How so. ',
  'one word': 'word ',
  'forms of a word': 'caches caching ',
  prompts: 'ignore all previous instructions ',
  'half a prompt': 'ignore the ',
  'prompts to a reader': 'you are now an ai agent. system: ',
  prototype: '__proto__ ',
}

export const CONTENTS: readonly Content[] = [
  ...Object.entries(PIECES).map(([name, piece]) => repeated(name, piece)),
  made('all different words', (number) => letters(mixed(number))),
  made('words that share a beginning', (number) => `zz${letters(number + 1_000)}`),
  made('words that share an ending', (number) => `${letters(number + 1_000)}zzation`),
  made('different ideographs', ideograph, ''),
  made('different numbers', String),
  made('different words with dots', (number) => letters(number + 36), '.'),
  made('different words with dashes', (number) => letters(number + 36), '-'),
  made('different words in capitals', (number) => letters(mixed(number)).toUpperCase()),
  made('different names', (number) => `Qu${letters(mixed(number))}`),
  made('different lines', (number) => letters(mixed(number)), '\n'),
  made('different URLs', (number) => `https://${letters(mixed(number))}.example/`),
  made('different e-mail addresses', (number) => `${letters(mixed(number))}@x.example`),
  made('one endless word', (number) => letters(mixed(number)), ''),
  made('base64', (number) => Buffer.from(String(mixed(number))).toString('base64'), ''),
  made('mixed scripts', (number) => `${letters(number)}Ж${ideograph(number)}ש${number}`),
  made('camel case', (number) => `a${letters(mixed(number)).toUpperCase()}`, ''),
]

/** What each content is compared with: two words, however long the text may be. */
export const PLAIN: Content = { name: 'plain', text: (size) => 'Plain words'.slice(0, Math.max(1, size)) }
