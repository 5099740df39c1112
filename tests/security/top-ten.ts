// The OWASP API Security Top 10 (2023): how this service meets each risk, and the tests that attack it. tests/invariants/top-ten.test.ts
// holds this table complete and docs/security-tests.md equal to it.

export interface Attack {
  file: string
  /** As it stands in the file. */
  test: string
}

export interface Risk {
  id: `API${number}:2023`
  title: string
  met: string
  attacks: Attack[]
}

const attacksIn = (file: string, ...tests: string[]): Attack[] => tests.map((test) => ({ file: `tests/${file}`, test }))

export const TOP_TEN: readonly Risk[] = [
  {
    id: 'API1:2023',
    title: 'Broken Object Level Authorization',
    met: 'Whoever owns a row is a required argument of the query that finds it, and somebody else’s row is the 404 of one that never was, byte for byte.',
    attacks: [
      ...attacksIn(
        'security/object-level.test.ts',
        'is not found by id, slug or website, in any spelling',
        'is not reached by naming one of one’s own beside it',
        'is the same 404 as one that never was, byte for byte and header for header',
        'is not found by id or externalId, in any spelling',
        'cannot be continued, and its messages cannot be taken for one’s own',
        'show nothing of another’s by any name: the 404 of an unknown one',
        'a foreign key cannot be revoked by a form, nor a foreign secret replaced',
      ),
      ...attacksIn(
        'fuzz/fuzz-tenants.test.ts',
        '10,000 questions: not one foreign byte, and a foreign name is answered as one that never existed',
      ),
      ...attacksIn(
        'security/canaries.test.ts',
        'another partner, who has the same listing',
        "another partner's people, in their dashboard",
      ),
      ...attacksIn(
        'partners/dashboard-partner.test.ts',
        'submissions of another partner are not shown, even if both submitted the same site',
      ),
      ...attacksIn(
        'security/take-downs.test.ts',
        'shows the second partner nothing of the first one’s listing',
        'is given as if it were free: %s',
        'that readers do not see is told to no other partner: it is named as that one writes it',
      ),
    ],
  },
  {
    id: 'API2:2023',
    title: 'Broken Authentication',
    met: 'A key is known by its keyed hash and sent once; a session is a signed cookie that is made anew at every sign-in; guessing is limited by address and, for passwords, by account too, whatever fields a form has; past its budget an address gets no look-up; the line for hashing is short.',
    attacks: [
      ...attacksIn(
        'security/guessing.test.ts',
        'are a 401 each, with the headers of the address, also when its budget is spent',
        'a hundred at once get no more look-ups than the budget has',
        'are a 401 each and charged to the address; past its budget nothing is looked up, and it is said once in the log',
      ),
      ...attacksIn(
        'security/header-smuggling.test.ts',
        '%s: 401 or 400, never 200',
        'an operator token beside a key speaks for nobody, whichever is which',
        'a trailer is no header: a key in it opens nothing',
      ),
      ...attacksIn(
        'security/sessions.test.ts',
        'a hundred and twenty at once from as many places: reads go on, most are told to come back, and then it is over',
        'of two sessions one counts, the same for pages and for forms: never the name of one with the form of the other',
        'over https a session under the name %s is none: only the one that the browser binds to the host counts',
        'no next page leads off this site, after signing in and for who is signed in already',
      ),
      ...attacksIn(
        'security/object-level.test.ts',
        'is not opened by what stands in the database, nor by a signature that was made for another',
      ),
      ...attacksIn(
        'api/authentication.test.ts',
        'a request whose key is missing or invalid gets a 401: %s',
        'a key in the query string is ignored: %s',
        'a request whose two headers differ gets a 401, whichever of them holds the valid key',
      ),
      ...attacksIn(
        'accounts/sign-in.test.ts',
        'signing in does not take over a session cookie that an attacker planted in the browser (fixation)',
      ),
      ...attacksIn('accounts/links.test.ts', 'a link works once, even when many browsers use it at the same time'),
      ...attacksIn(
        'accounts/safety.test.ts',
        'attempts at one account from many addresses get a 429 after thirty, from any address',
      ),
    ],
  },
  {
    id: 'API3:2023',
    title: 'Broken Object Property Level Authorization',
    met: 'Only declared fields of a body are read and only declared fields of a row are written into an answer: the two schemas of an operation are the allow-lists.',
    attacks: [
      ...attacksIn(
        'security/property-level.test.ts',
        'submits a tool: no column of the listing or the submission can be set beside the declared fields',
        'asks a question: whose conversation it is and what becomes of it cannot be sent along',
        'signs up: role, plan, ban, partner and dates are not theirs to choose',
        'makes a key and changes the password: neither form says whose, of which plan or until when',
        'every answer of every list and lookup has the declared fields and no other, however deep',
      ),
      ...attacksIn(
        'security/prototype-pollution.test.ts',
        '%s refuses them, or does as if they were not there',
        'metadata is stored without them, or not at all',
        'a token that is inherited is none',
      ),
      ...attacksIn(
        'security/canaries.test.ts',
        'a stranger, on any page and at any address',
        'the holder of a key',
        'whoever searches: no private word finds anything',
      ),
      ...attacksIn('partners/operator-partners.test.ts', 'the id, key and secret of a partner cannot be set'),
    ],
  },
  {
    id: 'API4:2023',
    title: 'Unrestricted Resource Consumption',
    met: 'Every call is charged to a key, a person or an address; bodies, depths, lists, batches and waiting times have bounds that are looked at before any pattern, and nothing that is sent is unpacked. Callers take turns: one request of each key or address is started at a time, so that no number of connections of one keeps another waiting. What happens after the answer has a time limit that everything in it shares, and partners take turns.',
    attacks: [
      ...attacksIn(
        'security/isolation.test.ts',
        'what is no HTTP is answered at once fifty times a second; a flood of it waits a second, and others do not',
        'is read away after the answer, and the connection is good for the next request',
      ),
      ...attacksIn(
        'api/mcp-limits.test.ts',
        'a batch of more than ten messages gets −32600, and nothing of it is done or charged',
        'a batch with more than one tools/list gets −32600, and nothing of it is done or charged',
        'every free message counts: notifications, tools/list, initialize, unknown or unreadable messages, GET',
      ),
      ...attacksIn(
        'fuzz/event-loop.test.ts',
        'with the worst text as %s',
        'imports the worst lines',
        'with more fields than any form has',
        'the worst pages',
      ),
      ...attacksIn(
        'security/limit-evasion.test.ts',
        'has one budget, however the address is spelt',
        'has one budget, also when thirty requests come in one breath over one connection',
        'buys no more calls over MCP by batches, notifications or free methods around them',
        'a user has at most ten that live, also when forty are asked for at once through both doors',
        'replacing keys does not renew the budget without end: twenty may be made in an hour',
        'the addresses of one IPv6 customer are one visitor, and so are two spellings of one address',
      ),
      ...attacksIn(
        'security/large-requests.test.ts',
        'a hundred thousand levels of %s: refused within a second, or as if absent',
        'what is packed with %s is not unpacked, however small',
      ),
      ...attacksIn(
        'security/long-texts.test.ts',
        'words that were made to be hard to search for cost no more than fifty ordinary searches',
        '%s as an e-mail address, a password or a next page: refused in seconds',
      ),
      ...attacksIn(
        'security/slow-requests.test.ts',
        'headers that never end: 408 and hung up on',
        'a body that never ends, at a form that anybody may send: hung up on',
        'three hundred slow and silent connections keep nobody waiting',
      ),
      ...attacksIn(
        'security/pipelining.test.ts',
        'the allowed number is answered, in order',
        'a connection with more is closed, so that no client can fill the memory with waiting requests',
      ),
      ...attacksIn(
        'listings/media.test.ts',
        'an upload that is no picture gets a 400, whatever its content type says',
        'an upload of more than 10 MiB gets a 413',
      ),
      ...attacksIn('enrichment/pictures.test.ts', 'a decompression bomb is refused within a second'),
      ...attacksIn(
        'faults/fair-shares.test.ts',
        '%i sites of one partner that hang: another’s is done within fifteen seconds',
        '%i events for a receiver that hangs: another partner’s is delivered at once',
        'six such partners fill no more lanes than there are for them: another’s is delivered within fifteen seconds',
      ),
      ...attacksIn('faults/job-queue.test.ts', 'frees its slot even if it ignores signals'),
    ],
  },
  {
    id: 'API5:2023',
    title: 'Broken Function Level Authorization',
    met: 'Each operation declares the access it needs and one gate asks for it before the body is read; the console is a scope of its own that asks for the role.',
    attacks: [
      ...attacksIn(
        'security/function-level.test.ts',
        'the REST API opens to %s exactly what its access says',
        'the operator API opens to %s all of it or nothing',
        'what a signed-in user may do has no address of its own',
        'a catalog key does nothing with any method at any partner or operator address',
        'no page of the console opens to somebody who is no administrator, and no form of it does anything',
        'who works for a partner cannot choose another partner, role or plan in any form of the dashboard',
        'over MCP nothing but reads of the catalog can be called, whoever calls',
      ),
      ...attacksIn(
        'accounts/operator.test.ts',
        'the session of a user who is no administrator gets a 403 from the operator API, and nothing changed',
      ),
    ],
  },
  {
    id: 'API6:2023',
    title: 'Unrestricted Access to Sensitive Business Flows',
    met: 'Signing up (five accounts a day and address), signing in, making keys, submitting and asking have budgets of their own; a submission counts once however often it is sent; what was taken down stays down in every spelling; opens count once a visitor and day, for navigations alone; crawlers are looked up.',
    attacks: [
      ...attacksIn(
        'accounts/sign-ups.test.ts',
        'the sixth sign-up is a 429 that says how many, how long and what to do, and no account is made',
        'ten sign-ups at once from one address make five accounts',
      ),
      ...attacksIn(
        'security/limit-evasion.test.ts',
        'sign-in attempts from all over one IPv6 network are attempts from one place',
      ),
      ...attacksIn(
        'submissions/submit-limits.test.ts',
        '20 a minute, separate from rest; the headers speak of the bucket that was charged',
      ),
      ...attacksIn(
        'submissions/submit-parallel.test.ts',
        '20 parallel submissions of one website give one listing and one submission',
      ),
      ...attacksIn(
        'accounts/safety.test.ts',
        'attempts from one address at any accounts, to sign in or to sign up, get a 429',
      ),
      ...attacksIn(
        'pages/visit.test.ts',
        'crawlers, programs and clients without a User-Agent are not counted',
        'only navigations are counted, not what a page loads as a picture, frame, script or data',
      ),
      ...attacksIn(
        'security/take-downs.test.ts',
        'stays unpublished for every partner, in every spelling that reaches the page',
        'is accepted, waits unpublished, and is published by an administrator in one step',
        'is public while a published listing has it, and gone when that is hidden',
      ),
      ...attacksIn(
        'security/pictures.test.ts',
        'is no picture: it is shown nowhere, neither before the listing is enriched nor after',
        'links of a submission must not lead to this service: a click on one would count for another',
      ),
      ...attacksIn(
        'pages/crawler-check.test.ts',
        'a host name that does not lead back to the address of the client proves nothing',
      ),
    ],
  },
  {
    id: 'API7:2023',
    title: 'Server Side Request Forgery',
    met: 'Everything outbound goes through one module that resolves names itself, connects only to public addresses, looks again after every redirect and carries no secret along.',
    attacks: [
      ...attacksIn(
        'platform/outbound.test.ts',
        'every spelling of a private address is refused, on port 80, 443 and another port',
        'redirects to each of these addresses are refused',
        'names that resolve to private addresses are refused, also behind a redirect',
        'a name whose address changes to a private one a moment later is refused',
      ),
      ...attacksIn(
        'webhooks/addresses.test.ts',
        'webhookUrl of a new partner',
        'website, icon, frame and screenshots of a submission, each named',
      ),
      ...attacksIn('webhooks/crash.test.ts', 'a URL that is not permitted anymore is not called'),
      ...attacksIn('webhooks/webhooks.test.ts', 'redirects is not followed'),
    ],
  },
  {
    id: 'API8:2023',
    title: 'Security Misconfiguration',
    met: 'Without any setting the service is closed and answers for its own hosts alone; answers carry strict headers and name nothing of what is inside; the log has one line a request and no secret.',
    attacks: [
      ...attacksIn(
        'security/hosts.test.ts',
        'every address and method, with every right; health alone answers, with its one word',
        'it reads neither the catalog nor the metrics of a service that only this machine reaches',
        'it makes no account and no key',
      ),
      ...attacksIn(
        'security/configuration.test.ts',
        'every address forbids guessing of types and names no program, whoever asks and however it ends',
        'no page may be framed, none runs a script but ours, and what is private is kept nowhere',
        'no answer lets a page of another site read it with the cookies of a person, whatever origin asks',
        'say what was wrong and nothing of what is inside',
        'metrics are for the operator and for this machine, not for whoever comes through a proxy on it: %s',
      ),
      ...attacksIn(
        'security/log-injection.test.ts',
        'there is one line a request, and none that somebody else wrote',
        'no character of it steers a terminal or breaks a line',
        'no line holds a key, a password, a token, a cookie, a secret or the address of a person',
      ),
      ...attacksIn(
        'security/header-smuggling.test.ts',
        '%s: refused and hung up on, and what follows is no request',
        'no answer repeats a host that was sent: %s',
      ),
      ...attacksIn(
        'api/secrets.test.ts',
        'no answer contains the operator token, the pepper, a webhook secret or a stored hash',
      ),
      ...attacksIn(
        'accounts/safety.test.ts',
        'a form post with %s gets a 403 although its token is right, and nothing changed',
      ),
    ],
  },
  {
    id: 'API9:2023',
    title: 'Improper Inventory Management',
    met: 'Routes, tools, the OpenAPI document and the command line are made from one list of operations; the list of all addresses is asked of the router itself.',
    attacks: [
      ...attacksIn(
        'security/inventory.test.ts',
        'every address that is served is an operation, a page or one of a few that are named here: none was forgotten',
        'nothing is at %s',
        'health and readiness are one word each, the same for everybody',
      ),
      ...attacksIn('security/function-level.test.ts', 'a header cannot turn one address into another: %s'),
      ...attacksIn('api/errors.test.ts', 'an unknown path gets a 404: %s'),
      ...attacksIn('invariants/snapshots.test.ts', 'the OpenAPI document is the reviewed one'),
    ],
  },
  {
    id: 'API10:2023',
    title: 'Unsafe Consumption of APIs',
    met: 'What product sites, receivers, language models and GitHub answer is bounded in size and time, read as text, checked against what was asked, and gives no caller a right. The service changes texts in values, never in JSON. What background work writes passes the checks of an operator’s write. The service leaves out a stored row that does not fit its schema, shows it to operators, and goes on.',
    attacks: [
      ...attacksIn(
        'security/poisoned-rows.test.ts',
        'an address made to be taken for JSON, beside a tagline that is a part of it: nothing stops',
        'all of it holds through a restart',
      ),
      ...attacksIn(
        'security/broken-rows.test.ts',
        '600 random rows in all tables: reads, changes, lists, pages and the export go on',
      ),
      ...attacksIn(
        'fuzz/fuzz-rows.test.ts',
        '10,000 random rows in all tables: reads, changes, lists, pages and the export go on',
        'the next start becomes ready, and leaves out the same rows',
      ),
      ...attacksIn(
        'security/hostile-answers.test.ts',
        '%s: nobody is signed in, and nothing of it is shown',
        'gets no right by sending fields of ours',
        'does not become the administrator whose address they claim, %s',
      ),
      ...attacksIn(
        'platform/outbound-limits.test.ts',
        'an endless answer is cut at the limit, and the connection is closed',
        'the certificate of the host is verified',
        '%s ends at the limit',
      ),
      ...attacksIn(
        'webhooks/webhooks.test.ts',
        'answers with bytes that are no text has them made safe, and no more than 500 of them are kept',
        'a receiver that hangs has failed after ten seconds, and was pending until then',
      ),
      ...attacksIn('support/language-model.test.ts', 'a model that obeys is not believed: %s'),
      ...attacksIn(
        'enrichment/language-model.test.ts',
        'a useless answer of the model, or none, leaves the content that the service derives itself',
      ),
      ...attacksIn('enrichment/enrichment.test.ts', 'a file that is no picture is skipped for the next one'),
    ],
  },
]

/** docs/security-tests.md, whole. */
export function document(): string {
  const sections = TOP_TEN.map(
    ({ id, title, met, attacks }) =>
      `## ${id} ${title}\n\n${met}\n\n${attacks.map(({ file, test }) => `- \`${file}\`: ${test}`).join('\n')}\n`,
  )
  return `# Security tests

The OWASP API Security Top 10 (2023), how this service meets each risk, and the tests that attack it. \`%s\` stands for each of several
cases. Run those in \`tests/security\` with \`npm run test:security\`. This page is made from \`tests/security/top-ten.ts\`; a test holds
the two equal, and every named test to exist and to run. To make it anew: \`UPDATE_DOCS=1 npx vitest run tests/invariants/top-ten.test.ts\`.

${sections.join('\n')}`
}
