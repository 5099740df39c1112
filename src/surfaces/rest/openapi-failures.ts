// The failures that every operation shares, as OpenAPI components.

export const RATE_HEADERS = {
  RateLimit: { description: 'Calls that the window allows.', schema: { type: 'integer' }, example: 60 },
  RateRemaining: { description: 'Calls that are left in the window.', schema: { type: 'integer' }, example: 59 },
  RateReset: {
    description: 'Unix time in whole seconds at which the window ends.',
    schema: { type: 'integer' },
    example: 1794707526,
  },
}

export const rateHeaderRefs = {
  'X-RateLimit-Limit': { $ref: '#/components/headers/RateLimit' },
  'X-RateLimit-Remaining': { $ref: '#/components/headers/RateRemaining' },
  'X-RateLimit-Reset': { $ref: '#/components/headers/RateReset' },
}

const failure = (description: string, error: string, headers: object = {}) => ({
  description,
  headers: { ...rateHeaderRefs, ...headers },
  content: {
    'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { success: false, error } },
  },
})

const retryAfter = (example: number) => ({
  'Retry-After': {
    description: 'Whole seconds after which the call succeeds.',
    schema: { type: 'integer', minimum: 1 },
    example,
  },
})

export const FAILURES = {
  NotModified: { description: 'The answer is the one whose ETag was sent as If-None-Match.', headers: rateHeaderRefs },
  BadRequest: failure('Bad request: the message names what is wrong.', 'pricing must be one of FREE, FREEMIUM, PAID.'),
  Unauthorized: failure(
    'The API key is missing, invalid or revoked.',
    'This API key is not valid: it is mistyped, revoked or unknown.',
    {
      'WWW-Authenticate': {
        description: 'How to authenticate.',
        schema: { type: 'string' },
        example: 'Bearer realm="catalog", error="invalid_token"',
      },
    },
  ),
  Forbidden: failure(
    'The key is valid but may not do this.',
    'This key cannot use partner endpoints. They need an issued partner key.',
  ),
  NotFound: failure('There is no such thing.', 'Tool not found.'),
  TooLarge: failure('The body is over 256 KiB.', 'The request body is too large: at most 256 KiB.'),
  UnsupportedMediaType: failure('The body is not of the expected media type.', 'Send the body as application/json.'),
  TooManyRequests: failure(
    'The rate limit is exceeded.',
    'Rate limit exceeded. Try again in 21 seconds.',
    retryAfter(21),
  ),
  ServerError: failure(
    'Something went wrong on our side; retry.',
    'Something went wrong on our side. Try again shortly.',
  ),
  Unavailable: failure(
    'The database is not reachable; retry.',
    'The database is not reachable at the moment. Try again shortly.',
    retryAfter(2),
  ),
}
