// The webhook events about the link on a listing, for partners that subscribed to them.
import { oneOf, timestamp, titledObject } from '../../kernel/schema.ts'
import { LINK_STATES } from '../submissions/bench/link.rules.ts'
import { eventTool, linkSchema, waitingRowSchema } from '../submissions/schema.ts'
import { declareEvent } from '../webhooks/events.ts'
import { LISTING_LIVE, LISTING_LOST, type ListingEvent } from './rules.ts'

/** The schema of a link with the description and example of a lost one. */
const lostLinkSchema = titledObject('LostLinkState', 'The link to the product, which is missing or gone.', {
  ...linkSchema.properties,
  state: oneOf(LINK_STATES, 'missing: no link on the page; gone: the page is no more.', 'missing'),
})

const listingEvent = <const N extends ListingEvent>(name: N, title: string, description: string) =>
  declareEvent(
    name,
    titledObject(title, description, {
      event: oneOf([name], 'The kind of the event.', name),
      occurredAt: timestamp('When the page was looked at.'),
      tool: eventTool,
      submission: waitingRowSchema,
      link: name === LISTING_LOST ? lostLinkSchema : linkSchema,
    }),
  )

export const liveEvent = listingEvent(
  LISTING_LIVE,
  'ListingLive',
  'The link to the product was found on a listing for the first time; link.state says of which kind it is.',
)
export const lostEvent = listingEvent(
  LISTING_LOST,
  'ListingLost',
  'A link that was there is gone: two looks at least a day apart did not find it.',
)
