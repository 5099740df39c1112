// Whether a robots.txt allows a robot of this service to fetch an address.
import { createRequire } from 'node:module'
import { ROBOTS, type Robot } from '../../../kernel/interfaces/outbound.ts'

// The types of the package describe a default export, which its CommonJS file does not have.
const parseRobots: (address: string, text: string) => { isAllowed(url: string, agent: string): boolean | undefined } =
  createRequire(import.meta.url)('robots-parser')

export interface RobotsQuestion {
  origin: string
  /** The lines that `robotsRules` (`rules.ts`) keeps. */
  rules: string
  url: string
  /** linkChecks when omitted. */
  robot?: Robot
}

export const robotsAllow = ({ origin, rules, url, robot = 'linkChecks' }: RobotsQuestion): boolean =>
  parseRobots(`${origin}/robots.txt`, rules).isAllowed(url, ROBOTS[robot]) !== false
