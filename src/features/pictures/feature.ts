// Copies pictures of listings from other sites into the picture store, and removes those that are no longer used.
import type { Feature } from '../../kernel/feature.ts'
import { countsOfRows, type MetricQuery, type MetricSource } from '../../kernel/metrics.ts'
import { createPictureMirror } from './create-mirror.ts'
import { pictureOperations } from './operations.ts'
import { WORK_STATES } from './rules.ts'

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
  create(parts) {
    const { jobs, jobAfter, start, close } = createPictureMirror(parts)
    const mirrorsPictures = parts.settings.MIRROR_PICTURES === 'on'
    const metrics = pictureMetrics(parts.query)
    return { context: { mirrorsPictures }, jobs, jobAfter, startWork: start, close, metrics }
  },
} satisfies Feature

const pictureMetrics = (query: MetricQuery): MetricSource[] => [
  {
    name: 'catalog_picture_listings',
    help: 'Listings that have had pictures on other hosts or on their websites, by whether their copies wait, are done or have failed.',
    labels: ['state'],
    combine: 'max',
    read: countsOfRows(
      query,
      `select states.state, count(work.state) as value from unnest(array['${WORK_STATES.join("','")}']) states(state)
       left join picture_work work on work.state = states.state group by states.state`,
      ['state'],
    ),
  },
]
