// What a deprecated operation or parameter adds to the headers of its answers and to its description (docs/versioning.md).
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deprecation, RoutedOperation } from '../../kernel/operation.ts'

/** Returns a hook that sets the headers when the operation, or a parameter of the request, is deprecated; null when nothing can be. */
export function announceDeprecation(operation: RoutedOperation, publicUrl: string) {
  const { deprecated, deprecatedParameters = {}, name } = operation
  if (!deprecated && Object.keys(deprecatedParameters).length === 0) return null
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const query = request.query as Record<string, unknown>
    const used = Object.entries(deprecatedParameters)
      .filter(([parameter]) => parameter in query || request.headers[parameter.toLowerCase()] !== undefined)
      .map(([, deprecation]) => deprecation)
    const found = deprecated ? [deprecated, ...used] : used
    if (found.length > 0) reply.headers(headersOf(found, `${publicUrl}/docs#${name}`))
    done()
  }
}

/** Of several deprecations the headers show the earliest dates. */
function headersOf(found: readonly Deprecation[], documentation: string): Record<string, string> {
  const times = (field: 'since' | 'sunset') => found.map((deprecation) => Date.parse(deprecation[field]))
  return {
    // RFC 9745.
    deprecation: `@${Math.min(...times('since')) / 1000}`,
    // RFC 8594.
    sunset: new Date(Math.min(...times('sunset'))).toUTCString(),
    link: `<${documentation}>; rel="deprecation"; type="text/html"`,
  }
}

/** The sentences for the OpenAPI document and the API reference. */
export const deprecationText = ({ since, sunset, instead }: Deprecation): string =>
  `Deprecated since ${since}, and may be gone from ${sunset} on. ${instead}`
