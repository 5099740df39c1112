// The software's own name. What visitors and programs see as the name of the site is in features/site.
import { DEFAULT_SITE } from '../../features/site/schema.ts'

export const SOFTWARE = 'Catalog Service'
export const { name: NAME, description: DESCRIPTION } = DEFAULT_SITE
