// @module-tag once
// An answer is accepted only when the passages support every statement of it.
import { describe, expect, test } from 'vitest'
import { isSupportedBy } from '../../src/features/support/answers/answerers.ts'
import { withDuration } from '../harness/with-duration.ts'

const passages = [
  {
    articleId: 'a',
    title: 'Refunds',
    text: 'Approved refunds arrive on your bank statement within 5 to 10 business days. The fee is $1,250.50 at most. Write to billing@acme.example or see https://acme.example/refunds.',
  },
]

describe('supported', () => {
  test.each([
    passages[0]!.text,
    'Approved refunds arrive within 5 to 10 business days.',
    'Your refund will arrive on your bank statement within 10 business days. I hope this helps!',
    'Thank you for asking! Refunds arrive on the statement of your bank within 10 business days.',
    'The fee is at most $1250.50.',
    'Please write to Billing@Acme.example.',
    'See https://acme.example/refunds/ for refunds.',
  ])('%s', (answer) => {
    expect(isSupportedBy(answer, passages)).toBe(true)
  })
})

describe('not supported', () => {
  test.each([
    ['another figure', 'Approved refunds arrive within 3 business days.'],
    ['an additional figure', 'Approved refunds arrive within 5 to 10 business days, at most 14.'],
    ['another price', 'The refund fee is $1,250.51 at most.'],
    ['a per cent', 'Approved refunds arrive within 5 business days, less 20 %.'],
    ['another e-mail address', 'Approved refunds arrive within 5 days. Write to billing@evil.example.'],
    ['another page of the site', 'Approved refunds: see https://acme.example/other.'],
    ['another site', 'Approved refunds: see https://acme.example.evil.example/refunds.'],
    ['a site without a scheme', 'Approved refunds: see www.evil.example.'],
    ['something else', 'Bananas grow in tropical countries and taste sweet.'],
    ['mostly something else', 'Refunds are like bananas: yellow, tropical, sweet fruit from plantations.'],
    ['nothing', ''],
    ['no word', '👍 …'],
  ])('%s', (_, answer) => {
    expect(isSupportedBy(answer, passages)).toBe(false)
  })

  test('a statement of another passage that is not among the sources', () => {
    expect(isSupportedBy('Approved refunds arrive within 5 business days.', [])).toBe(false)
  })
})

test('a title counts as text of its passage', () => {
  const charity = [
    { articleId: 'b', title: 'Discount of 40 % for charities', text: 'Write to us with your registration number.' },
  ]
  expect(isSupportedBy('Charities get a discount of 40 %.', charity)).toBe(true)
})

test('the check is fast for any answer', async () => {
  for (const answer of [
    'a'.repeat(4_000),
    '1.'.repeat(2_000),
    'a@'.repeat(2_000),
    '@'.repeat(4_000),
    `${'a'.repeat(2_000)}@${'a.'.repeat(1_000)}`,
    'http://'.repeat(570),
  ]) {
    const [, ms] = await withDuration(async () => isSupportedBy(answer, passages))
    expect(ms).toBeLessThan(500)
  }
})
