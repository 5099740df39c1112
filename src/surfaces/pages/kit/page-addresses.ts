// Addresses of pages to which pages in other folders lead.

/** How a product gets listed. */
export const SUBMIT = '/submit'

/** The page on which a founder begins, by giving the address of the product's website. */
export const NEW_PRODUCT = '/submit/new'

export const FOUNDER_HELP = '/submit/help'

/** What a signed-in founder has sent and owns. */
export const OWN_PRODUCTS = '/dashboard/products'

/** The listings and plans that a signed-in user has saved. */
export const SAVED = '/dashboard/saved'
