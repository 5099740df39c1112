// A person who uses the mouse in a browser.
import type { Locator, Page } from 'playwright-core'
import type { Visit } from './chromium.ts'

export interface Hand {
  page: Page
  /** How often it has clicked. */
  clicks: number
  click(what: Locator): Promise<void>
}

export const handOf = ({ page }: Visit): Hand => {
  page.setDefaultTimeout(20_000)
  const hand: Hand = {
    page,
    clicks: 0,
    async click(what) {
      hand.clicks++
      await what.click()
    },
  }
  return hand
}

export const button = ({ page }: Hand, name: string | RegExp): Locator =>
  page.getByRole('button', { name, exact: true })
export const link = ({ page }: Hand, name: string | RegExp): Locator => page.getByRole('link', { name, exact: true })
