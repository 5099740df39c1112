// The software's own name. What visitors and programs see as the name of the site is in features/site.
import { DEFAULT_SITE } from '../../features/site/schema.ts'

export const SOFTWARE = 'Catalog Service'
/** Of the REST API. The specification fixes it for all of v1; releases of the service have a version of their own. */
export const API_VERSION = '1.0.0'
export const { name: NAME, description: DESCRIPTION } = DEFAULT_SITE
