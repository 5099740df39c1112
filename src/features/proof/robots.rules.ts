// Whether a robots.txt allows the link checks to fetch an address.
import { createRequire } from 'node:module'
import { ROBOTS } from '../../kernel/outbound.ts'

// The types of the package describe a default export, which its CommonJS file does not have.
const parseRobots: (address: string, text: string) => { isAllowed(url: string, agent: string): boolean | undefined } =
  createRequire(import.meta.url)('robots-parser')

export interface RobotsQuestion {
  origin: string
  /** The lines that `robotsRules` keeps. */
  rules: string
  url: string
}

export const robotsAllow = ({ origin, rules, url }: RobotsQuestion): boolean =>
  parseRobots(`${origin}/robots.txt`, rules).isAllowed(url, ROBOTS.linkChecks) !== false
