// The name of the software, and the default name of a site. The name that an operator gave the site is in features/site.
import { DEFAULT_SITE } from '../../features/site/schema.ts'

export const SOFTWARE = 'Catalog Service'
/** The version of the REST API. The specification fixes it for all of v1; releases of the service have a version of their own. */
export const API_VERSION = '1.0.0'
export const { name: NAME, description: DESCRIPTION } = DEFAULT_SITE
