// The list of listings whose pictures are copied from other hosts: the progress, what came of each, and a button that tries again.
import type { Static } from 'typebox'
import { TOPIC } from '../../../../features/catalog/schema.ts'
import { getPictureProgress, listPictures, retryPictures } from '../../../../features/pictures/operations.ts'
import { actionForm } from '../../kit/button.ts'
import { progress } from '../../kit/components.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { namedListing } from '../../kit/named-listing.ts'
import { ago } from '../../kit/values.ts'
import { action } from '../kit/actions.ts'
import { ADMIN } from '../kit/frame.ts'
import { declareList } from '../kit/list-pages.ts'
import { outcomeList } from '../kit/outcomes.ts'
import { stateBadge } from '../kit/states.ts'
import type { ConsolePages, Visit } from '../kit/visit.ts'

type Progress = Static<typeof getPictureProgress.data>

const PICTURES_PATH = `${ADMIN}/pictures`
const RETRY = `${PICTURES_PATH}/retry`

export const picturePages: ConsolePages = {
  [PICTURES_PATH]: {
    GET: declareList({
      path: PICTURES_PATH,
      operation: listPictures,
      title: 'Pictures',
      lead: 'Logos and screenshots on other hosts are copied after an import. Until then, and where none can be had, pages show a letter.',
      load: (visit) => visit.perform(getPictureProgress, {}),
      filters: { state: { tabs: 'Listings by state' } },
      above: ({ visit, loaded }) => progressBox(visit, loaded),
      caption: 'Listings with pictures from other hosts',
      columns: ({ visit }) => [
        { label: 'Listing', rowHeader: true, cell: (row) => namedListing(visit, TOPIC[row.kind], row) },
        { label: 'State', onPhones: 'unlabelled', cell: ({ state }) => stateBadge(state) },
        {
          label: 'What came of it',
          className: 'broad',
          onPhones: 'unlabelled',
          cell: ({ parts }) => outcomeList(parts),
        },
        { label: 'Tries', onPhones: 'hidden', kind: 'number', cell: ({ attempts }) => attempts },
        { label: 'Last', onPhones: 'unlabelled', cell: ({ updatedAt }) => ago(updatedAt) },
      ],
      empty: ({ filters: { state } }) =>
        state
          ? { title: 'None in this state' }
          : {
              title: 'No pictures on other hosts yet',
              text: 'They are found by themselves after an import or a change of a listing.',
            },
    }),
  },
  [RETRY]: {
    POST: action({ operation: retryPictures, back: PICTURES_PATH, text: 'The pictures that failed are tried again.' }),
  },
}

/** While listings wait, the script loads this box again every three seconds. */
function progressBox(visit: Visit, { isOn, waiting, done, failed }: Progress): Markup {
  const all = waiting + done + failed
  const polling =
    isOn &&
    waiting > 0 &&
    html` data-hx-get="${PICTURES_PATH}" data-hx-trigger="every 3s" data-hx-select="#picture-progress" data-hx-swap="outerHTML"`
  return html`<section id="picture-progress" class="flow"${polling}>
${!isOn && html`<p class="flash notice" role="status">Copying is off: the setting MIRROR_PICTURES says so.</p>`}
${all > 0 && progress({ label: 'Listings with all their copies', value: done, max: all })}
${all > 0 && html`<p class="small quiet">${waiting} waiting, ${failed} failed.</p>`}
${
  failed > 0 &&
  actionForm({ action: RETRY, label: 'Try failed ones again', kind: 'plain', slim: true, values: visit.values })
}
</section>`
}
