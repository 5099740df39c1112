// What the picture that is shown with a link to a page says; the platform draws it.

export interface ShareCard {
  site: string
  name: string
  text: string
  category: string
  /** The ground, as #rrggbb. Text on it is white. */
  colour: string
  /** A stored picture. */
  logo: Buffer | null
}
