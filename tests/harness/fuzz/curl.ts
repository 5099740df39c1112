// Prints a request as a curl command, so that a developer can repeat it.
import type { Request } from './requests.ts'

export function curlOf(origin: string, { method, path, headers, body }: Request): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const lines = headers.flatMap((name, i) => (i % 2 === 0 ? [`-H ${quoted(`${name}: ${headers[i + 1]}`)}`] : []))
  return [
    'curl',
    '-i',
    '-g',
    `-X ${method}`,
    ...lines,
    ...(body === null ? [] : [`--data-binary ${quoted(body)}`]),
    quoted(origin + path),
  ].join(' ')
}
