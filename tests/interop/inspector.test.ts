// The official MCP inspector, run against the service from a command line as a developer would.
import { beforeAll, describe, expect, test } from 'vitest'
import { use } from '../harness/use.ts'
import { CALLS, startDemo, TOOL } from './demo.ts'
import { areToolsInstalled, endOfOutput, runTool } from './tools.ts'

describe.skipIf(!areToolsInstalled())('inspector', () => {
  let key: string
  const service = use(startDemo)
  beforeAll(async () => {
    key = (await service.newKey()).key
  })

  const inspect = (withKey: string, ...args: string[]) =>
    runTool('@modelcontextprotocol/inspector/clients/launcher/build/index.js', [
      ...['--cli', `${service.origin}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${withKey}`],
      ...['--stored-auth-only', '--format', 'json', ...args],
    ])

  describe.each(['legacy', 'auto', 'modern'])('--protocol-era %s', (era) => {
    test('tools/list --strict', async () => {
      const ended = await inspect(key, '--protocol-era', era, '--method', 'tools/list', '--strict')
      expect(ended.code, endOfOutput(ended)).toBe(0)
      const { tools } = JSON.parse(ended.stdout).result
      expect(tools.map(({ name }: { name: string }) => name)).toEqual(CALLS.map(({ tool }) => tool))
      // The inspector advises against `type: [string, null]`. The advice is about schemas that models receive, and models do not receive
      // output schemas.
      expect(ended.stderr).not.toMatch(/Path: inputSchema/)
    })

    test('tools/call', async () => {
      const args = ['--method', 'tools/call', '--tool-name', 'get_tool', '--tool-arg', `slug=${TOOL}`]
      const ended = await inspect(key, '--protocol-era', era, ...args)
      expect(ended.code, endOfOutput(ended)).toBe(0)
      const { content, structuredContent } = JSON.parse(ended.stdout).result
      const { body } = await service.rest(`/tools/${TOOL}`)
      expect(structuredContent).toEqual(body)
      expect(JSON.parse(content[0].text)).toEqual(body)
    })
  })

  test('a failed call is reported as a failure', async () => {
    const ended = await inspect(
      key,
      '--method',
      'tools/call',
      '--tool-name',
      'get_tool',
      '--tool-arg',
      'slug=no-such-tool',
    )
    expect(ended.code).toBe(5)
    expect(JSON.parse(ended.stderr).error.code).toBe('tool_is_error')
  })

  test('a wrong key is reported as such', async () => {
    const ended = await inspect('aid_wrong', '--method', 'tools/list')
    expect(ended.code).toBe(3)
    expect(JSON.parse(ended.stderr).error.code).toBe('auth_required')
  })
})
