// Texts that are hardest for patterns, parsers and searches: a piece that is repeated as often as fits, with a start and an end.
import { SCALE } from './fuzz/fuzzer.ts'

const PIECES = [
  ...[
    'a',
    'Z',
    '1',
    ' ',
    '\t',
    '\n',
    '\r',
    '-',
    '.',
    '/',
    '@',
    ':',
    ';',
    ',',
    '=',
    '?',
    '#',
    '%',
    '&',
    '<',
    '>',
    '"',
    "'",
    '`',
  ],
  ...[
    '(',
    '[',
    '{',
    '\\',
    '_',
    '+',
    '*',
    '!',
    'é',
    'ü',
    '\u0301',
    '\u0301\u0323',
    'ﷺ',
    '漢',
    '😀',
    '\u202e',
    '\ufeff',
    'ß',
    'İ',
  ],
  ...[
    'a@',
    'a.',
    '1.',
    '1,',
    'a-',
    '-1',
    '.a',
    'a ',
    '- a',
    '\n ',
    '\n\n',
    '//',
    '://',
    'https://',
    '<a',
    '</a',
    '<a>',
    '<!--',
  ],
  ...[
    '<style>',
    '<script>',
    '<script',
    '</',
    '&amp;',
    '&#',
    '%41',
    '%2e',
    '```',
    '-->',
    'charset=',
    'yandex',
    'bot ',
    'so ',
    'how ',
  ],
  ...[
    'A > ',
    'log in ',
    'two ',
    ': ',
    ' - ',
    '. ',
    '.\n',
    '? ',
    'aid_',
    'q=0.',
    'x@y.zz ',
    'www.',
    '__proto__',
    'caches caching ',
  ],
]

// Pieces that once took long, or are known to take long elsewhere: tests try them in every field.
const KNOWN = [
  ' ',
  '\n',
  '-',
  '.',
  '/',
  '@',
  '<',
  'a@',
  'a.',
  '1,',
  '<a',
  '<style>',
  '<script>',
  '```',
  'yandex',
  'A > ',
  '. ',
  'ü',
  'ﷺ',
]

interface WorstText {
  name: string
  /** A text of about `size` characters; as a JSON string it may take more bytes. */
  text(size: number): string
}

const repeated = (piece: string, before = '', after = ''): WorstText => ({
  name: JSON.stringify(before + piece).slice(1, -1),
  text: (size) =>
    before + piece.repeat(Math.max(1, Math.floor((size - before.length - after.length) / piece.length))) + after,
})

/** Every piece alone, and with an end that makes a pattern fail after reading all of it. */
const ALL: readonly WorstText[] = [
  ...PIECES.map((piece) => repeated(piece, '', '\u0001x')),
  ...['/', '-', ' ', 'a.', 'ü', 'a-', '@', '%41', '?', '#a', ':1', '[', 'xn--a.', '1.'].map((piece) =>
    repeated(piece, 'https://x.example', '!'),
  ),
  ...['ü', '漢', 'a.', 'ü.', '😀', '1', 'a', '\u0301', 'xn--', 'ﷺ'].map((piece) => repeated(piece, 'https://')),
  ...['a', 'a.', 'a-', '.'].map((piece) => repeated(piece, 'a@', '!')),
  ...['a', '/', ' '].map((piece) => repeated(piece, 'data:image/png;base64,', '!')),
  ...['a', 'b ', '- '].map((piece) => repeated(piece, '- ', '\u0001')),
]

const isKnown = ({ name }: WorstText) => KNOWN.some((piece) => name === JSON.stringify(piece).slice(1, -1))

/** The slow pieces, or one in `share` of them; all texts in a long run (FUZZ_SCALE above 1). */
export const worstTexts = (share = 1): WorstText[] =>
  SCALE > 1 ? [...ALL] : ALL.filter(isKnown).filter((_, i) => i % share === 0)
