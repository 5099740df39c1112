/** The text without these characters at its end. A regular expression would backtrack over long texts that contain many of them. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** The text with a capital first letter. */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The name of an operation's method in the typed client: search_tools is searchTools. */
export const methodName = (operation: string): string =>
  operation.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

// Excludes characters that show nothing on a page: white space, control and format characters, fillers. U+2800 is an empty Braille pattern.
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u

export const hasVisibleCharacter = (text: string): boolean => VISIBLE.test(text)

/**
 * A text as every value is read: without blanks around it, and empty when it has no visible character. One with a control character is not
 * empty, so that it is reported in fields that may be empty, too.
 */
export function trimmed(text: string): string {
  const kept = text.trim()
  return kept === '' || hasVisibleCharacter(kept) || /\p{Cc}/u.test(kept) || !kept.isWellFormed() ? kept : ''
}

// NUL is excluded here because `input.ts` refuses it everywhere with a sentence of its own.
const CONTROL = /[^\P{Cc}\0]/u
const CONTROL_IN_LINE = /[^\P{Cc}\0\t\n\r]/u

/** `multiline`: line breaks and tabs are allowed. */
export const hasControlCharacter = (text: string, multiline = false): boolean =>
  (multiline ? CONTROL_IN_LINE : CONTROL).test(text)
