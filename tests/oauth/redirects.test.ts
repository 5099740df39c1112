// The addresses that programs may send people back to, as rules.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  isRegisteredRedirect,
  policySource,
  redirectProblem,
  redirectTarget,
} from '../../src/features/oauth/redirect.rules.ts'

test('no text becomes more than one source of the content security policy', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl(),
        fc.string(),
        fc.string().map((text) => `https://${text}/`),
      ),
      (text) => {
        if (redirectProblem(text) !== undefined) return
        expect(policySource(text)).toMatch(/^(?:https?:\/\/[a-z0-9.-]+(?::\d+)?|[a-z][a-z0-9.+-]*:)$/)
      },
    ),
    { numRuns: 5_000 },
  )
})

test('an address matches only itself', () => {
  fc.assert(
    fc.property(fc.webUrl({ validSchemes: ['https'] }), fc.webUrl({ validSchemes: ['https'] }), (one, other) => {
      if (redirectProblem(one) !== undefined) return
      expect(isRegisteredRedirect([one], one)).toBe(true)
      expect(isRegisteredRedirect([one], other)).toBe(one === other)
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  [
    'https://agent.example.com:8443/x',
    'https://agent.example.com:8443',
    { kind: 'site', host: 'agent.example.com:8443' },
  ],
  ['http://localhost:99/x', 'http://localhost:99', { kind: 'this-computer' }],
  ['http://[::1]:99/x', 'http:', { kind: 'this-computer' }],
  ['cursor://a/b', 'cursor:', { kind: 'program', scheme: 'cursor' }],
])('%s is in the policy as %s', (address, source, target) => {
  expect(redirectProblem(address)).toBeUndefined()
  expect(policySource(address)).toBe(source)
  expect(redirectTarget(address)).toEqual(target)
})
