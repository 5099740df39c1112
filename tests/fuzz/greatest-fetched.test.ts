// As greatest-texts.test.ts, for the forms of all pages and for everything that the service fetches.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCosts, isChosen, named } from '../harness/costs.ts'
import { fetchedWays, files, fileWays, type HostileSite, hostileSite } from '../harness/fetched-ways.ts'
import { administrator, formWays } from '../harness/form-ways.ts'
import { type StartedGround, startGround } from '../harness/ground.ts'
import { type StandInModel, standInModel } from '../harness/language-model.ts'

const TIME = { timeout: 3_600_000 }

/** With a language model and link checks. */
let ground: StartedGround
let site: HostileSite
let model: StandInModel
let pictures: Record<string, Buffer>
const costs = createCosts(() => ground.service)

beforeAll(async () => {
  ;[site, model, pictures] = await Promise.all([hostileSite(), standInModel(), files()])
  ground = await startGround({ LLM_BASE_URL: model.url, LLM_MODEL: 'small', LINK_CHECKS: 'on' })
}, 600_000)
afterAll(async () => {
  process.stdout.write(`${costs.table()}\n`)
  await ground.close()
  await Promise.all([site.close(), model.close()])
}, 600_000)

describe('everything that is fetched costs about as much as plain words', TIME, () => {
  const ways = fetchedWays(
    () => ground,
    () => site,
    () => model,
  )
  test.each(named(ways))('%s', async (_, own) => {
    expect(await costs.tooLong(own)).toEqual([])
  })

  const kinds = () => Object.keys(pictures).map((name) => ({ name, text: () => name }))
  const ofFiles = fileWays(
    () => ground,
    () => site,
    () => pictures,
  )
  test.each(named(ofFiles))('%s', async (_, own) => {
    expect(await costs.tooLong(own, kinds())).toEqual([])
  })
})

test.skipIf(!isChosen('form'))('every form of the site, the dashboard and the console', TIME, async () => {
  const ways = named(await formWays(ground, await administrator(ground))).flatMap(([, own]) => own)
  expect(await costs.tooLong(ways)).toEqual([])
})
