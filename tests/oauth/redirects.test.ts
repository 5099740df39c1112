// @module-tag once
// The addresses that programs may send people back to, as rules.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  isRegisteredRedirect,
  redirectProblem,
  redirectTarget,
  withParameters,
} from '../../src/features/oauth/rules.ts'

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
  ['https://agent.example.com:8443/x', { kind: 'site', host: 'agent.example.com:8443' }],
  ['http://localhost:99/x', { kind: 'this-computer' }],
  ['http://[::1]:99/x', { kind: 'this-computer' }],
  ['cursor://a/b', { kind: 'program', scheme: 'cursor' }],
])('%s leads to %o', (address, target) => {
  expect(redirectProblem(address)).toBeUndefined()
  expect(redirectTarget(address)).toEqual(target)
})

test('what a program wrote in its address stays as it is when parameters are added', () => {
  expect(withParameters('https://a.example/x', { code: 'a b', state: undefined })).toBe('https://a.example/x?code=a+b')
  expect(withParameters('https://a.example/x?y=%20z', { code: '1' })).toBe('https://a.example/x?y=%20z&code=1')
  expect(withParameters('cursor://a/b', { code: '1' })).toBe('cursor://a/b?code=1')
})
