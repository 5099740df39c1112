// Everything that copies pictures in the background, as one part of the service.
import type { Caller } from '../../kernel/caller.ts'
import type { Change, Context, Log } from '../../kernel/context.ts'
import type { Attempt, Job } from '../../kernel/job.ts'
import { attemptContext } from '../../kernel/job-context.ts'
import { mirror, PICTURE_CHANGES, pictureJobs, requestAllPictures } from './jobs.ts'
import { picturesConcernedBy } from './rules.ts'
import { requestRemoval, unusedPicturesJob } from './unused.ts'

export interface PictureMirror {
  jobs: readonly Job<never>[]
  /** The job that a change of the catalog causes, if any. */
  jobAfter(change: Change): { name: string; data: object } | undefined
  /** Looks at all listings in the background: now, because the settings may have changed, and every hour. */
  start(): Promise<void>
  close(): void
}

interface Source {
  contextOf(caller: Caller): Context
  log: Log
  settings: { MIRROR_PICTURES: 'on' | 'off'; ENRICHMENT_RETRY_SECONDS: number }
}

const HOUR_MS = 3_600_000

export function createPictureMirror({ contextOf, log, settings }: Source): PictureMirror {
  const isOn = settings.MIRROR_PICTURES === 'on'
  const retrySeconds = settings.ENRICHMENT_RETRY_SECONDS
  let timer: NodeJS.Timeout | undefined
  const ofAttempt = (attempt: Attempt) => attemptContext(contextOf(mirror), attempt)
  const look = async (): Promise<void> => {
    try {
      await contextOf(mirror).transaction(async (ctx) => {
        if (isOn) await requestAllPictures(ctx)
        await requestRemoval(ctx)
      })
    } catch (error) {
      log.warn({ err: error }, 'listings could not be looked at for pictures on other hosts; they are in an hour')
    }
  }
  return {
    jobs: [...pictureJobs(ofAttempt, { isOn, retrySeconds }), unusedPicturesJob(ofAttempt)],
    jobAfter(change) {
      const data = isOn ? picturesConcernedBy(change) : undefined
      return data && { name: PICTURE_CHANGES, data }
    },
    start() {
      timer = setInterval(() => void look(), HOUR_MS).unref()
      return look()
    },
    close: () => clearInterval(timer),
  }
}
