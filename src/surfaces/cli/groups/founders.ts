// `catalog reviews`: products that founders have sent. `catalog owners`: who owns listings. `catalog orders`: packages that founders bought.
import { command, type Group, list } from '../derived/declared.ts'

const EXAMPLE_ID = '01a2f0de-7a10-7c3e-9f51-2b1f0c6f2a11'

export const reviewsCommands: Group = {
  examples: ['reviews list', `reviews decide ${EXAMPLE_ID} --decision accept`],
  arguments: { id: ['<id>', 'Identifier of the product, from: catalog reviews list'] },
  commands: [
    list('list_reviews', {
      description: 'List products that wait for a decision, suspicious ones first.',
      empty: 'Nothing waits. Founders send products on /submit.',
      columns: {
        ID: 'id',
        NAME: (review) => review.fields.name ?? '',
        WEBSITE: { cut: 'website' },
        'SENT BY': (review) => review.user.email,
        SENT: { day: 'sentAt' },
        SUSPICIONS: (review) => review.suspicions.join(' '),
      },
      examples: ['reviews list', 'reviews list --state refused'],
    }),
    command('decide_review', {
      name: 'decide',
      description: 'Accept or refuse a product. The founder reads the reason.',
      examples: [
        `reviews decide ${EXAMPLE_ID} --decision accept`,
        `reviews decide ${EXAMPLE_ID} --decision refuse --reason 'The site does not answer.'`,
      ],
      says: ({ listing, website }) => (listing ? `Listed as ${listing.slug}.` : `Refused ${website}.`),
    }),
  ],
}

export const ordersCommands: Group = {
  examples: ['orders list --waiting true'],
  arguments: { id: ['<id>', 'Identifier of the order, from: catalog orders list'] },
  commands: [
    list('list_orders', {
      description: 'List orders, newest first. With --waiting true: what is paid and not begun.',
      empty: 'No orders yet. Founders order packages in their dashboard.',
      none: 'No such order.',
      columns: {
        ID: 'id',
        PRODUCT: { cut: ({ tool }) => tool?.slug ?? 'deleted listing' },
        PACKAGE: 'paymentType',
        STATE: ({ state, disputed }) => (disputed ? `${state}, disputed` : state),
        PRICE: 'price',
        REFUNDED: 'refunded',
        WORK: ({ waiting, submissionId, submissionState }) =>
          waiting ? (submissionId ? 'not begun' : 'none') : submissionState,
        FOUNDER: { cut: ({ user }) => user?.email ?? 'account deleted' },
        PAID: { day: 'paidAt' },
      },
      examples: ['orders list', 'orders list --waiting true'],
    }),
    command('compare_order', {
      name: 'compare',
      description: 'Ask Stripe about the payments of a founder now.',
      examples: [`orders compare ${EXAMPLE_ID}`],
      says: ({ id, state }) => `Compared order ${id} with Stripe: it is ${state}.`,
    }),
  ],
}

export const ownersCommands: Group = {
  examples: ['owners list --tool acme-writer'],
  arguments: { id: ['<id>', 'Identifier of the owner, from: catalog owners list'] },
  commands: [
    list('list_owners', {
      description: 'List the owners of listings, newest first.',
      empty: 'No owners yet. Founders claim a listing from its page.',
      columns: {
        ID: 'id',
        TOOL: (owner) => owner.tool.slug,
        OWNER: (owner) => owner.user.email,
        PROOF: 'method',
        SINCE: { day: 'provenAt' },
        FAILED: { day: 'failedAt' },
      },
      examples: ['owners list', 'owners list --tool acme-writer', 'owners list --state unproven'],
    }),
    command('remove_owner', {
      name: 'remove',
      description: 'Remove an owner of a listing. The token of the account proves nothing more.',
      examples: [`owners remove ${EXAMPLE_ID}`],
      asks: ({ text }) => `Remove the owner ${text('id')}?`,
      says: ({ user, tool }) => `${user.email} no longer owns ${tool.slug}.`,
    }),
  ],
}
