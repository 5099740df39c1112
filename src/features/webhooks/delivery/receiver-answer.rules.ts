// Which answers of a receiver count as delivered, and what is kept of them.

/** This much of a receiver's answer is read and kept. */
export const ANSWER_BYTES = 500

/** All but tabs and line breaks. */
const CONTROL_CHARACTER = /[^\P{Cc}\t\n\r]/gu

/** The beginning of an answer as text that can be stored and shown: without incomplete characters and terminal control characters. */
export function answerText(bytes: Uint8Array): string {
  // `stream` leaves out a character that is cut off at the end.
  const text = new TextDecoder().decode(bytes.subarray(0, ANSWER_BYTES), { stream: true })
  return text.replace(CONTROL_CHARACTER, '\ufffd')
}

/** Why the receiver's answer does not count as delivered; null when it does. */
export function answerProblem(status: number): string | null {
  if (status >= 200 && status < 300) return null
  const remark = status >= 300 && status < 400 ? '; redirects are not followed' : ''
  return `The receiver answered ${status}${remark}.`
}
