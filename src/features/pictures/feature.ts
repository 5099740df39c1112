import type { Feature } from '../../kernel/feature.ts'
import { createPictureMirror } from './create-mirror.ts'
import { pictureMetrics } from './metrics.ts'
import { pictureOperations } from './operations.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    MIRROR_PICTURES: 'on' | 'off'
  }
}

export const pictures = {
  operatorOperations: pictureOperations,
  create(parts) {
    const { jobs, jobAfter, start, close } = createPictureMirror(parts)
    const mirrorsPictures = parts.settings.MIRROR_PICTURES === 'on'
    const metrics = pictureMetrics(parts.query)
    return { context: { mirrorsPictures }, jobs, jobAfter, startWork: start, close, metrics }
  },
} satisfies Feature
