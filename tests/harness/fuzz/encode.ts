// Percent-encodes also half a surrogate pair, as the bytes it would have. A segment of dots alone becomes %2e, because clients resolve
// such segments before they send the path.
export const encode = (value: string): string =>
  [...value]
    .map((letter) => {
      const point = letter.codePointAt(0)!
      if (point < 0xd800 || point > 0xdfff) return encodeURIComponent(letter)
      return [0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63)]
        .map((byte) => `%${byte.toString(16)}`)
        .join('')
    })
    .join('')
    .replace(/^\.+$/, '%2e')
