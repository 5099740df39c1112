// @module-tag once
// REST, MCP and the site find the same listings in the same order for the same question.
import { test } from 'vitest'
import { expectAgreement } from '../harness/questions.ts'
import { use } from '../harness/use.ts'
import { startDemo } from '../interop/demo.ts'

const service = use(startDemo)

test('REST, MCP and the site agree on 100 questions', () => expectAgreement(service, 100))
