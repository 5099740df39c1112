// What each program tells of its journey: search, submit, status and two support conversations, the failures among them.
declare const process: { argv: string[] }
const [, , origin = '', key = '', hybrid = '', human = '', website = ''] = process.argv

export const baseUrl = `${origin}/api/v1`
export const keys = { catalog: key, hybrid, human }
export const bearer = (held: string) => ({ Authorization: `Bearer ${held}` })

export const newTool = {
  name: 'Generated Client',
  website,
  tagline: 'Made by a generator',
  description: 'A tool that a generated client submits.',
  category: 'writing',
  pricing: 'FREE' as const,
  founderName: 'Ada Example',
  founderEmail: 'ada@example.com',
  tags: [],
  paymentType: 'starter' as const,
}

const told: Record<string, unknown> = {}
export const tell = (what: string, value: string | number | boolean | null): void => {
  told[what] = value
}
export const finish = (): void => console.log(JSON.stringify(told))
declare const console: { log(text: string): void }
