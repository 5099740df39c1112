// An OpenAI-compatible language model on loopback that answers as a test tells it to and records the requests.
import { createServer, type ServerResponse } from 'node:http'
import { listening } from './listening.ts'

export interface ModelRequest {
  path: string
  authorization: string | undefined
  text: string
  /** The text of the system message and of the user message. */
  instructions: string
  material: any
}

export interface StandInModel {
  /** For LLM_BASE_URL. */
  url: string
  requests: ModelRequest[]
  /** A string is the content of the message; an object is sent as JSON in it; a function writes the response itself. */
  answer: ModelAnswer
  close(): Promise<void>
}

export type ModelAnswer = string | object | ((response: ServerResponse, request: ModelRequest) => unknown)

export async function standInModel(): Promise<StandInModel> {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const received = readRequest(request.url!, request.headers.authorization, text)
    model.requests.push(received)
    if (typeof model.answer === 'function') await model.answer(response, received)
    else sendAnswer(response, model.answer)
  })
  const { url, close } = await listening(server)
  const model: StandInModel = {
    url: `${url}/v1`,
    requests: [],
    answer: { canAnswer: false },
    close,
  }
  return model
}

/** Sends `content` in the form of an OpenAI-compatible answer. */
export function sendAnswer(response: ServerResponse, content: string | object): void {
  const message = { role: 'assistant', content: typeof content === 'string' ? content : JSON.stringify(content) }
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', choices: [{ index: 0, message }] }))
}

function readRequest(path: string, authorization: string | undefined, text: string): ModelRequest {
  const { messages } = JSON.parse(text) as { messages: { role: string; content: string }[] }
  const of = (role: string) => messages.filter((message) => message.role === role).map(({ content }) => content)
  return { path, authorization, text, instructions: of('system').join('\n'), material: JSON.parse(of('user').join()) }
}
