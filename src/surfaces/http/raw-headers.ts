// Headers as they were sent. Node keeps the first of several Authorization or Host headers, but a proxy in front may have used another.

/** `name` must be in lower case. */
export function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let found = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i]
    if (header?.length === name.length && header.toLowerCase() === name) found++
  }
  return found > 1
}
