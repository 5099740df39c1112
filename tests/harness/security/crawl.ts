// Follows every link to this site that a reader is shown, and returns all answers.
import type { Reply } from '../service.ts'

export interface ReadText {
  where: string
  text: string
}

export async function crawl(
  open: (path: string) => Promise<Reply>,
  starts: readonly string[],
  most = 250,
): Promise<ReadText[]> {
  const waiting = [...starts]
  const known = new Set(waiting)
  const answers: ReadText[] = []
  for (let path = waiting.shift(); path !== undefined && answers.length < most; path = waiting.shift()) {
    const reply = await open(path)
    answers.push(readTextOf(path, reply))
    for (const [, link] of reply.text.matchAll(/(?:href|src|action)="(\/(?!\/)[^"#]*)/g)) {
      const next = link!.replaceAll('&amp;', '&')
      if (known.has(next) || /\/visit$|^\/sign-out|^\/api\//.test(next)) continue
      known.add(next)
      waiting.push(next)
    }
  }
  return answers
}

/**
 * An answer with its headers. Cookies are left out because they are the reader's own; the requested address is removed because an answer
 * may repeat it.
 */
export function readTextOf(where: string, { status, headers, text }: Reply): ReadText {
  const answerText = `${JSON.stringify([...headers].filter(([name]) => name !== 'set-cookie'))}\n${text}`
  return {
    where: `${where} (${status})`,
    text: answerText.replaceAll(encodeURIComponent(where), '').replaceAll(where, ''),
  }
}
