// Copies pictures of listings from other sites into the picture store, and removes those that are no longer used.
import type { Feature } from '../../kernel/feature.ts'
import { metricOfRows } from '../../kernel/interfaces/metrics.ts'
import { type Attempt, attemptContext } from '../../kernel/job.ts'
import { HOUR_MS } from '../../kernel/values/days.ts'
import { mirrorCaller, PICTURE_CHANGES, pictureJobs, requestAllPictures } from './copy.jobs.ts'
import { pictureOperations } from './operations.ts'
import { listingsToCheckAfter, WORK_STATES } from './rules.ts'
import { requestRemoval, unusedPicturesJob } from './unused.jobs.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    MIRROR_PICTURES: 'on' | 'off'
    SITE_PICTURES: 'on' | 'off'
  }
}

export const picturesFeature = {
  operatorOperations: pictureOperations,
  personalData: {
    keptAtDeletion: [{ table: 'picture_work', reason: 'Which pictures of products wait to be copied.' }],
  },
  create({ contextOf, log, query, settings }) {
    const isOn = settings.MIRROR_PICTURES === 'on'
    const options = {
      isOn,
      asksSites: settings.SITE_PICTURES === 'on',
      retrySeconds: settings.ENRICHMENT_RETRY_SECONDS,
    }
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
    let timer: NodeJS.Timeout | undefined
    return {
      context: { mirrorsPictures: isOn },
      jobs: [...pictureJobs(contextOfAttempt, options), unusedPicturesJob(contextOfAttempt)],
      jobAfter(change) {
        const data = isOn ? listingsToCheckAfter(change) : undefined
        return data && { name: PICTURE_CHANGES, data }
      },
      // All listings are checked at the start, because the settings may have changed, and then every hour.
      startWork() {
        timer = setInterval(() => void requestChecks(), HOUR_MS).unref()
        return requestChecks()
      },
      close: () => clearInterval(timer),
      metrics: [
        metricOfRows(
          query,
          'catalog_picture_listings',
          'Listings that have had pictures on other hosts or on their websites, by whether their copies wait, are done or have failed.',
          `select states.state, count(work.state) as value from unnest(array['${WORK_STATES.join("','")}']) states(state)
           left join picture_work work on work.state = states.state group by states.state`,
          ['state'],
        ),
      ],
    }
  },
} satisfies Feature
