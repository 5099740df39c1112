// Addresses of pages to which pages in other folders lead.

/** The page on how a product gets listed. */
export const SUBMIT = '/submit'

/** The page on which a founder begins, by giving the address of the product's website. */
export const NEW_PRODUCT = '/submit/new'

export const FOUNDER_HELP = '/submit/help'

/** The page of the products that a signed-in founder has sent or owns. */
export const OWN_PRODUCTS = '/dashboard/products'

/** The page of the listings and plans that a signed-in user has saved. */
export const SAVED = '/dashboard/saved'
