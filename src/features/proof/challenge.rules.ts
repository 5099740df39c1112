// Recognises pages that services against robots show instead of the listing.
import type { CheerioAPI } from 'cheerio'
import { plainLine, visibleText } from '../enrichment/text.rules.ts'

const TITLES =
  /^(?:just a moment|attention required|one moment,? please|please wait\b.*|checking your browser|verifying your browser|verify(?:ing)? (?:that )?you(?:'| a)re (?:a )?human|human verification|bot verification|security (?:check|checkpoint|verification)|vercel security checkpoint|are you a robot|robot or human|pardon our interruption|access (?:to this page has been )?denied|ddos-guard|ddos protection|sucuri website firewall|request unsuccessful|client challenge|captcha|robot check)\b/i

// Elements that exist only on such pages. The scripts of these services are on ordinary pages too, so they do not count.
const MARKS = [
  '#challenge-form',
  '#challenge-running',
  '#challenge-error-text',
  '#cf-challenge-running',
  '#cf-error-details',
  '#px-captcha',
  '#sec-if-cpt-container',
  'iframe[src*="captcha-delivery.com"]',
  'script[src*="captcha-delivery.com"]',
  'iframe[src*="_Incapsula_Resource"]',
  'form[action*="/cdn-cgi/challenge"]',
  'form[action*="validateCaptcha"]',
].join(', ')

const TEXT =
  /\b(?:checking (?:if the site connection is secure|your browser before accessing)|verify you are (?:a )?human by completing|enable javascript and cookies to continue|complete the security check to access|needs to review the security of your connection|unusual traffic from your (?:computer )?network|prove (?:that )?you(?:'| a)re (?:a )?human)\b/i

// Such pages are short. A long page that quotes one of these sentences is a page.
const LONGEST_TEXT = 2_000

/** `hasLink`: the page links to the product. Then it is the listing, whatever its title and its words are. */
export function isChallenge($: CheerioAPI, hasLink: boolean): boolean {
  if (hasLink) return $(MARKS).length > 0
  const text = visibleText($('body').toArray(), LONGEST_TEXT + 1)
  if (text.length > LONGEST_TEXT) return false
  const title = plainLine($('title').first().text(), 200)
  if (TITLES.test(title) || $(MARKS).length > 0) return true
  return TEXT.test(text) || TEXT.test(plainLine($('noscript').first().text(), 500))
}
