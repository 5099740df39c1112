// The files for operators, as far as they can be checked without their programs.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'

const UNIT = new URL('../../deploy/systemd/catalog.service', import.meta.url).pathname

test.skipIf(!existsSync('/usr/bin/systemd-analyze'))(
  'the systemd unit is rated at most 3.0 (skipped where systemd-analyze is missing)',
  () => {
    const output = execFileSync('systemd-analyze', ['security', '--offline=yes', '--no-pager', UNIT], {
      encoding: 'utf8',
    })
    const [, rating] = /Overall exposure level for .*: ([\d.]+)/.exec(output) ?? []
    expect(Number(rating)).toBeGreaterThan(0)
    expect(Number(rating)).toBeLessThanOrEqual(3)
  },
)
