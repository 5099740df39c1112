// Amounts of money in a text: `$19`, `US$ 1,299.00`, `29 €`, `15 USD`.

const AMOUNT = String.raw`\d{1,7}(?:[.,]\d{1,3}){0,3}`
const CURRENCY = String.raw`(?:us ?\$|[$€£¥₹]|usd|eur|gbp|inr|chf|dollars?|euros?|pounds?)`
const MONEY = new RegExp(String.raw`${CURRENCY}\s?(${AMOUNT})|(?<![\d.,])(${AMOUNT})\s?(?:${CURRENCY})(?![a-z])`, 'gi')

export const amountsIn = (text: string): number[] =>
  [...text.matchAll(MONEY)].map(([, before, after]) => numberOf(before ?? after ?? ''))

/** 1.299,00 and 1,299.00 are the same amount: a separator before three digits is left out, and a comma that remains is the decimal point. */
const numberOf = (text: string): number => Number(text.replace(/[.,](?=\d{3}(?:\D|$))/g, '').replace(',', '.'))
