// Redirects lead only to pages of this section, because the value comes from the form and may be forged.

const OWN_PATH = /^\/admin\/submissions(\/[\w-]+)?(\?[\w%&=+.~*-]*)?$/

/** The address, or null when it is not one of this section. */
export const ownAddress = (given: string | undefined): string | null =>
  given && given.length <= 2000 && OWN_PATH.test(given) ? given : null
