/** Without these characters at its end. A pattern for it would go back over a long text that has many of them inside. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}

// White space, control and format characters, fillers: what leaves no mark on a page. U+2800 is an empty Braille pattern.
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u

export const hasVisibleCharacter = (text: string): boolean => VISIBLE.test(text)

// NUL is refused everywhere, with a sentence of its own (`input.ts`).
const CONTROL = /[^\P{Cc}\0]/u
const CONTROL_IN_LINE = /[^\P{Cc}\0\t\n\r]/u

/** `multiline`: line breaks and tabs are part of the text. */
export const hasControlCharacter = (text: string, multiline = false): boolean =>
  (multiline ? CONTROL_IN_LINE : CONTROL).test(text)
