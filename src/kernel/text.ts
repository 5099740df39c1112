/** Without these characters at its end. A pattern for it would go back over a long text that has many of them inside. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}
