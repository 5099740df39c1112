import description from '../../package.json' with { type: 'json' }

/** Of the service. The REST API has one of its own. */
export const VERSION: string = description.version
