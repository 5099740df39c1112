// A disk of a few megabytes that a test can fill completely: a tmpfs, which needs root.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const canMount = process.getuid?.() === 0

export interface SmallDisk {
  folder: string
  /** Fills the disk until only so many bytes are free, in whole pages. */
  fill(left: number): Promise<void>
  empty(): void
  remove(): void
}

const PAGE = 4096

export function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', folder])
  const ballast = join(folder, 'ballast')
  return {
    folder,
    async fill(left) {
      rmSync(ballast, { force: true })
      const { bavail, bsize } = await statfs(folder)
      writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - Math.ceil(left / PAGE) * PAGE)))
    },
    empty: () => rmSync(ballast, { force: true }),
    remove() {
      execFileSync('umount', [folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
