import description from '../../package.json' with { type: 'json' }

/** The version of the service. The REST API has its own version. */
export const VERSION: string = description.version
