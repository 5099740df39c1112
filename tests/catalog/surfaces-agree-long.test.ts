// @module-tag long
// The same as surfaces-agree.test.ts, with ten times as many questions.
import { test } from 'vitest'
import { expectAgreement } from '../harness/questions.ts'
import { use } from '../harness/use.ts'
import { startDemo } from '../interop/demo.ts'

const service = use(startDemo)

test('REST, MCP and the site agree on 1,000 questions', () => expectAgreement(service, 1_000))
