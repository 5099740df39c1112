// Texts: their ends, how amounts and times are written, what can be seen of them, and how alike two names are.
/** The text without these characters at its end. A regular expression would backtrack over long texts that contain many of them. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** The value that the text is in JSON; undefined if the text is no JSON. The parser's message is not passed on, because it quotes the text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The text with a capital first letter. */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** How long something holds: "one hour", "24 hours". */
export const hoursText = (hours: number): string => (hours === 1 ? 'one hour' : `${hours} hours`)

/** How long something takes: "a day", "a week", "10 days". */
export const daysText = (days: number): string => (days === 1 ? 'a day' : days === 7 ? 'a week' : `${days} days`)

// Formats are kept by currency, because a plan names hundreds of prices and creating a format is slow.
const prices = new Map<string, Intl.NumberFormat>()

/** A price, such as $9 or €12.50. */
export function money(amount: number, currency: string): string {
  const format =
    prices.get(currency) ??
    new Intl.NumberFormat('en', { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' })
  prices.set(currency, format)
  return format.format(amount)
}

/** The name of an operation's method in the typed client: search_tools is searchTools. */
export const methodName = (operation: string): string =>
  operation.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

// Excludes characters that show nothing on a page: white space, control and format characters, fillers. U+2800 is an empty Braille pattern.
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u

/**
 * The text without blanks around it; empty if it has no visible character. A text with a control character is not made empty, so that the
 * character is reported, also in fields that may be empty.
 */
export function trimmed(text: string): string {
  const kept = text.trim()
  return kept === '' || VISIBLE.test(kept) || /\p{Cc}/u.test(kept) || !kept.isWellFormed() ? kept : ''
}

// NUL is excluded here because `input.ts` refuses it everywhere with a sentence of its own.
const CONTROL = /[^\P{Cc}\0]/u
const CONTROL_EXCEPT_BREAKS = /[^\P{Cc}\0\t\n\r]/u

/** `multiline`: line breaks and tabs are allowed. */
export const hasControlCharacter = (text: string, multiline = false): boolean =>
  (multiline ? CONTROL_EXCEPT_BREAKS : CONTROL).test(text)

/**
 * Whether the known name was meant: at most two letters are wrong, missing or extra. Short names never match, because two letters make
 * them any other word.
 */
export const isMisspelling = (given: string, known: string): boolean =>
  known.length >= 7 && Math.abs(given.length - known.length) <= 2 && lettersApart(given, known) <= 2

/** How many letters of the given name are wrong, missing or extra. Slow for long texts: its time is the product of the two lengths. */
export function lettersApart(given: string, known: string): number {
  // For each beginning of the known name, how many letters differ from what was read of the given one.
  let row = Array.from(known, (letter, i) => ({ letter, differing: i + 1 }))
  for (const [i, letter] of [...given].entries()) {
    let before = i + 1
    let diagonal = i
    row = row.map(({ letter: other, differing: above }) => {
      before = Math.min(before + 1, above + 1, diagonal + (letter === other ? 0 : 1))
      diagonal = above
      return { letter: other, differing: before }
    })
  }
  return row.at(-1)?.differing ?? given.length
}
