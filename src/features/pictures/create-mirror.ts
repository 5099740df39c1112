// Combines the jobs that copy pictures and the job that removes unused ones, and requests them at the start and every hour.

import type { Caller } from '../../kernel/caller.ts'
import type { Change, Context, Log } from '../../kernel/context.ts'
import { HOUR_MS } from '../../kernel/days.ts'
import { type Attempt, attemptContext, type Job } from '../../kernel/job.ts'
import { mirrorCaller, PICTURE_CHANGES, pictureJobs, requestAllPictures } from './copy.jobs.ts'
import { listingsToCheckAfter } from './rules.ts'
import { requestRemoval, unusedPicturesJob } from './unused.jobs.ts'

export interface PictureMirror {
  jobs: readonly Job<never>[]
  /** The job that a change of the catalog causes, if any. */
  jobAfter(change: Change): { name: string; data: object } | undefined
  /** Requests a check of all listings: now, because the settings may have changed, and then every hour. */
  start(): Promise<void>
  close(): void
}

interface Parts {
  contextOf(caller: Caller): Context
  log: Log
  settings: { MIRROR_PICTURES: 'on' | 'off'; SITE_PICTURES: 'on' | 'off'; ENRICHMENT_RETRY_SECONDS: number }
}

export function createPictureMirror({ contextOf, log, settings }: Parts): PictureMirror {
  const isOn = settings.MIRROR_PICTURES === 'on'
  const asksSites = settings.SITE_PICTURES === 'on'
  const retrySeconds = settings.ENRICHMENT_RETRY_SECONDS
  let timer: NodeJS.Timeout | undefined
  const contextOfAttempt = (attempt: Attempt) => attemptContext(contextOf(mirrorCaller), attempt)
  const requestChecks = async (): Promise<void> => {
    try {
      await contextOf(mirrorCaller).transaction(async (ctx) => {
        if (isOn) await requestAllPictures(ctx)
        await requestRemoval(ctx)
      })
    } catch (error) {
      log.warn({ err: error }, 'listings could not be looked at for pictures on other hosts; they are in an hour')
    }
  }
  return {
    jobs: [...pictureJobs(contextOfAttempt, { isOn, asksSites, retrySeconds }), unusedPicturesJob(contextOfAttempt)],
    jobAfter(change) {
      const data = isOn ? listingsToCheckAfter(change) : undefined
      return data && { name: PICTURE_CHANGES, data }
    },
    start() {
      timer = setInterval(() => void requestChecks(), HOUR_MS).unref()
      return requestChecks()
    },
    close: () => clearInterval(timer),
  }
}
