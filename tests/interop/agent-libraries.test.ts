// Libraries that agents are built with: they accept every tool without a warning and call it.
import { beforeAll, describe, expect, test } from 'vitest'
import { use } from '../harness/use.ts'
import { CALLS, startDemo } from './demo.ts'
import { areToolsInstalled, endOfOutput, inTools, run, toolsFolder } from './tools.ts'

describe.skipIf(!areToolsInstalled())('agent libraries', () => {
  let key: string
  const service = use(startDemo)
  beforeAll(async () => {
    key = (await service.newKey()).key
  })

  const NAMES = CALLS.map(({ tool }) => tool)
  const connect = async (script: string, withKey: string) => {
    const ended = await run(
      process.execPath,
      [inTools('agents', script), `${service.origin}/mcp`, withKey],
      toolsFolder,
    )
    expect(ended.code, endOfOutput(ended)).toBe(0)
    return { told: JSON.parse(ended.stdout), stderr: ended.stderr }
  }

  test('the OpenAI agents library takes every tool in its strict mode without a warning', async () => {
    const { told, stderr } = await connect('openai-agents.mjs', key)
    expect(stderr).toBe('')
    expect(told.strict).toEqual(NAMES.map((name) => [name, true]))
    expect(JSON.stringify(told.answer)).toContain('success')
  })

  test.each(['ai-sdk.mjs', 'langchain.mjs', 'mastra.mjs', 'mcp-remote.mjs'])(
    '%s takes and calls the tools without a warning',
    async (script) => {
      const { told, stderr } = await connect(script, key)
      expect(stderr).toBe('')
      expect(told.tools).toEqual(NAMES)
      expect(JSON.stringify(told.answer)).toContain('success')
    },
  )

  test.each([
    ['ai-sdk.mjs', 'This API key is not valid: it is mistyped, revoked or unknown.'],
    ['langchain.mjs', 'This API key is not valid: it is mistyped, revoked or unknown.'],
    ['openai-agents.mjs', 'the server requires authorization (HTTP 401)'],
    ['mastra.mjs', 'the server requires authorization (HTTP 401)'],
  ])('with a wrong key the user of %s reads: %s', async (script, sentence) => {
    expect((await connect(script, 'aid_wrong')).told.message).toContain(sentence)
  })
})
