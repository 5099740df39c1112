// The OWASP API Security Top 10 (2023): how this service meets each risk, and the tests that attack it. tests/invariants/top-ten.test.ts
// checks that this table is complete and that docs/security-tests.md is made from it.

export interface Attack {
  file: string
  /** The title, exactly as in the file. */
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
    met: 'The owner of a row is a required argument of the query that finds it. Another owner’s row gets the 404 of an unknown one, byte for byte.',
    attacks: [
      ...attacksIn(
        'security/object-level.test.ts',
        'no name finds another partner’s submission',
        'naming an own submission as well does not reveal another partner’s',
        'another partner’s submission gets exactly the 404 of an unknown one',
        'no id finds another partner’s conversation',
        'another partner’s conversation and message ids match nothing',
        'dashboard pages answer 404 to every identifier of the victim',
        'a form cannot revoke another user’s key or replace another partner’s secret',
      ),
      ...attacksIn(
        'fuzz/fuzz-tenants.test.ts',
        '10,000 requests: no data of other partners, whose names are answered like unknown ones',
      ),
      ...attacksIn(
        'security/canaries.test.ts',
        'another partner that has the same listing',
        'the users of another partner, in their dashboard',
      ),
      ...attacksIn(
        'partners/dashboard-partner.test.ts',
        'submissions of another partner are not shown, even if both submitted the same site',
      ),
      ...attacksIn(
        'security/take-downs.test.ts',
        'a second partner sees nothing of the first partner’s listing',
        'a submission gets a hidden listing’s slug: %s',
        'a hidden tag is not revealed to another partner, which gets the name that it sent',
      ),
    ],
  },
  {
    id: 'API2:2023',
    title: 'Broken Authentication',
    met: 'The service stores a key only as a keyed hash and shows it once. A session is a signed cookie, and every sign-in makes a new one. Guessing is limited for each address and, for passwords, for each account too. The service looks up no key for an address with a spent budget. The queue for hashing passwords is short. A program that a user signs in to proves with PKCE that it asked, and its refresh tokens work once.',
    attacks: [
      ...attacksIn(
        'security/guessing.test.ts',
        'every guess is a 401 with the headers of the address, also when its budget is spent',
        'a hundred guesses at once get no more look-ups than the budget allows',
        'every guess is a 401 and charged to the address; past its budget nothing is looked up, and the log says so once',
      ),
      ...attacksIn(
        'oauth/attacks.test.ts',
        '%s is refused: to a program that the user has allowed, and otherwise on a page',
        'whose redirect address %s is refused on a page, and the browser is sent nowhere',
        'with a code a second time is refused, and the tokens of the first time stop working',
        'with a refresh token a second time ends the whole grant, with the tokens of the rightful program',
        'a form that another site made the browser send is refused',
        'is limited by network address, and says when to try again',
      ),
      ...attacksIn('oauth/documents.test.ts', 'the document at %s is not fetched'),
      ...attacksIn(
        'security/header-smuggling.test.ts',
        '%s: 401 or 400, never 200',
        'an operator token beside a key is refused, whichever header carries which',
        'a trailer is no header: a key in it opens nothing',
      ),
      ...attacksIn(
        'security/sessions.test.ts',
        'most of 120 sign-ins at once from 120 addresses get a 503, reads go on, and the service recovers',
        'with two session cookies, pages and forms use the same one: no page shows one user with the form of the other',
        'over https a session cookie named %s is ignored: only the one that the browser binds to the host counts',
        'no next page leads off this site, after signing in and for a user who is signed in already',
      ),
      ...attacksIn(
        'security/object-level.test.ts',
        'values of the database or another value’s signature open no session',
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
    met: 'The service reads only the declared fields of a body and answers with only the declared fields of a row: the two schemas of an operation are the allow-lists.',
    attacks: [
      ...attacksIn(
        'security/property-level.test.ts',
        'submits a tool: no column of the listing or the submission can be set beside the declared fields',
        'asks a question: the body cannot set the owner or the state of the conversation',
        'signs up: the form cannot set role, plan, ban, partner or dates',
        'makes a key and changes the password: neither form can set the owner, the plan or the dates',
        'every answer of every list and lookup has the declared fields and no other, however deep',
      ),
      ...attacksIn(
        'security/prototype-pollution.test.ts',
        '%s accepts no prototype keys',
        'metadata never stores prototype keys',
        'an inherited token is not accepted',
      ),
      ...attacksIn(
        'security/canaries.test.ts',
        'a visitor, on any page and at any address',
        'the holder of a catalog key',
        'a client that searches: no private word finds anything',
      ),
      ...attacksIn('partners/operator-partners.test.ts', 'the id and secret of a partner cannot be set'),
    ],
  },
  {
    id: 'API4:2023',
    title: 'Unrestricted Resource Consumption',
    met: 'Every call is charged to a key, a user or an address. Bodies, depths, lists, batches and waiting times have bounds, which are checked before any pattern runs, and the service decompresses no request. Callers take turns: only a few requests of each key or address run at once, so that one caller with many connections keeps no other waiting. Background work for a partner has one time limit for all of its steps, and partners take turns.',
    attacks: [
      ...attacksIn(
        'security/isolation.test.ts',
        'invalid HTTP is answered at once fifty times a second; a flood of it waits a second, and other clients do not',
        'the service discards the body after the answer, and the connection serves the next request',
      ),
      ...attacksIn(
        'api/mcp-limits.test.ts',
        'a batch of more than ten messages gets −32600, and nothing of it is done or charged',
        'a batch with more than one tools/list gets −32600, and nothing of it is done or charged',
        'every free message counts: notifications, tools/list, initialize, unknown or unreadable messages, GET',
      ),
      ...attacksIn(
        'fuzz/event-loop.test.ts',
        'submitting the worst %s',
        'imports the worst lines',
        'a form with too many fields',
        'the worst pages',
      ),
      ...attacksIn(
        'security/limit-evasion.test.ts',
        'a key has one budget for every URL spelling',
        'thirty requests of a key at once on one connection share one budget',
        'batches, notifications and free MCP methods give a key no more calls',
        'a user has at most ten valid keys, also when forty requests at once ask for one by form and by API',
        'replacing keys does not renew the budget endlessly: a user may make twenty an hour',
        'the addresses of one IPv6 customer are one visitor, and so are two spellings of one address',
      ),
      ...attacksIn(
        'security/large-requests.test.ts',
        'a hundred thousand levels of %s are refused within a second, or ignored',
        'a body compressed with %s is not decompressed, however small',
      ),
      ...attacksIn(
        'security/long-texts.test.ts',
        'words that were made to be hard to search for cost no more than fifty ordinary searches',
        '%s as an e-mail address, a password or a next page: refused in seconds',
      ),
      ...attacksIn(
        'security/slow-requests.test.ts',
        'endless headers get a 408, and the connection is closed',
        'an endless body for a form that any visitor may send: the connection is closed',
        'three hundred slow and silent connections keep no other client waiting',
      ),
      ...attacksIn(
        'security/pipelining.test.ts',
        'allowed pipelined requests are answered in order',
        'too many pipelined requests close the connection, so that they cannot fill the memory',
      ),
      ...attacksIn(
        'listings/media.test.ts',
        'an upload that is no picture gets a 400, whatever its content type says',
        'an upload of more than 10 MiB gets a 413',
      ),
      ...attacksIn('enrichment/pictures.test.ts', 'a decompression bomb is refused before it is decoded'),
      ...attacksIn(
        'listings/copied-pictures.test.ts',
        'is never stored, shown or served',
        'a host gets at most two requests at once',
        'a redirect to a private address is not followed',
      ),
      ...attacksIn(
        'faults/fair-shares.test.ts',
        'with %i hanging sites of one partner, another partner’s listing is enriched within fifteen seconds',
        'with %i events for a receiver that hangs, another partner’s event is delivered at once',
        'six partners with hanging receivers cannot take all delivery slots: another partner’s event is delivered within fifteen seconds',
      ),
      ...attacksIn('faults/job-queue.test.ts', 'a job that ignores its timeout holds no slot'),
    ],
  },
  {
    id: 'API5:2023',
    title: 'Broken Function Level Authorization',
    met: 'Each operation declares the access it needs, and one gate checks it before the body is read. The console is a separate scope that checks the role.',
    attacks: [
      ...attacksIn(
        'security/function-level.test.ts',
        'the REST API opens to %s exactly the operations of its access',
        'the operator API opens to %s completely or not at all',
        'operations of signed-in users have no address in the REST API',
        'a catalog key does nothing with any method at any partner or operator address',
        'no page of the console opens to a user who is no administrator, and no form of it does anything',
        'a user of a partner cannot choose another partner, role or plan in any form of the dashboard',
        'over MCP every caller can call only reads of the catalog',
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
    met: 'Signing up (five accounts a day for each address), signing in, making keys, submitting and asking have their own budgets. A submission counts once, however often it is sent. A listing that was taken down stays down in every spelling. A listing’s opens count once a day for each visitor, and only for navigations. The service verifies crawlers by a DNS look-up.',
    attacks: [
      ...attacksIn(
        'accounts/sign-ups.test.ts',
        'the sixth sign-up is a 429 that says how many, how long and what to do, and no account is made',
        'ten sign-ups at once from one address make five accounts',
      ),
      ...attacksIn(
        'security/limit-evasion.test.ts',
        'sign-in attempts from all over one IPv6 network are attempts from one address',
      ),
      ...attacksIn(
        'submissions/submit-limits.test.ts',
        '20 submissions a minute, apart from rest; headers show the charged budget',
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
        'a website taken down stays so for every partner and in every spelling',
        'another page of a taken-down host waits until an administrator publishes it',
        'a submitted tag is public only while a published listing has it',
      ),
      ...attacksIn(
        'security/pictures.test.ts',
        'a picture URL of this service is not shown, before or after enrichment',
        'links of a submission must not lead to this service: a click on one would count for another listing',
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
    met: 'All outbound requests go through one module that resolves names itself, connects only to public addresses, checks again after every redirect and sends no secret along.',
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
        'a private webhookUrl: 400',
        'private URLs of a submission get a 400 that names each field',
      ),
      ...attacksIn('webhooks/crash.test.ts', 'a URL that is not permitted anymore is not called'),
      ...attacksIn('webhooks/webhooks.test.ts', 'no redirect is followed'),
    ],
  },
  {
    id: 'API8:2023',
    title: 'Security Misconfiguration',
    met: 'The defaults are closed: without settings the service answers only for its own hosts. Answers have strict headers and reveal no internal details. The log has one line a request and no secret.',
    attacks: [
      ...attacksIn(
        'security/hosts.test.ts',
        'every address and method refuses foreign hosts, whatever the credential; only health checks answer',
        'the page reads neither the catalog nor the metrics of a service that only this machine reaches',
        'the page makes no account and no key',
      ),
      ...attacksIn(
        'security/configuration.test.ts',
        'every answer forbids content sniffing and names no program, for every caller and every outcome',
        'no page may be framed, no page runs a script but ours, and private pages are not cached',
        'no answer lets a page of another site read it with the cookies of a user, whatever the origin',
        'an error says what was wrong and reveals no internal details',
        'metrics are for the operator and for this machine, not for clients behind a proxy on it: %s',
      ),
      ...attacksIn(
        'security/log-injection.test.ts',
        'there is one line a request, and no line that a client wrote',
        'no character of a client controls a terminal or breaks a line',
        'no line holds a key, a password, a token, a cookie, a secret or a user’s e-mail address',
      ),
      ...attacksIn(
        'security/header-smuggling.test.ts',
        '%s: refused, the connection is closed, and what follows is not read as a request',
        'no answer repeats a host that the client sent: %s',
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
    met: 'Routes, tools, the OpenAPI document and the command line are made from one list of operations. The tests read the list of all addresses from the router itself.',
    attacks: [
      ...attacksIn(
        'security/inventory.test.ts',
        'every served address is an operation, a page or one of the few named here',
        'nothing is served at %s',
        'health and readiness are one word each, the same for every client',
      ),
      ...attacksIn('security/function-level.test.ts', 'a header cannot turn one address into another: %s'),
      ...attacksIn('api/errors.test.ts', 'an unknown path gets a 404: %s'),
      ...attacksIn('invariants/snapshots.test.ts', 'the OpenAPI document is the reviewed one'),
    ],
  },
  {
    id: 'API10:2023',
    title: 'Unsafe Consumption of APIs',
    met: 'Answers of product sites, receivers, language models, embedding endpoints and GitHub are bounded in size and time, read as text, checked against the request, and give no caller a right. The service changes texts in parsed values, never in JSON text. Writes of background work pass the same checks as an operator’s writes. The service leaves out a stored row that does not match its schema, shows it to operators, and goes on.',
    attacks: [
      ...attacksIn(
        'security/poisoned-rows.test.ts',
        'an e-mail address that is a piece of JSON is refused, and other work goes on',
        'a restart skips broken rows',
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
        '%s: no user is signed in, and nothing of the answer is shown',
        'fields of a GitHub user give no right',
        'a GitHub user cannot claim an administrator’s address: %s',
      ),
      ...attacksIn(
        'platform/outbound-limits.test.ts',
        'an endless answer is cut at the limit, and the connection is closed',
        'the certificate of the host is verified',
        '%s ends at the limit',
      ),
      ...attacksIn(
        'webhooks/webhooks.test.ts',
        'an answer that is no text is stored as safe text of at most 500 bytes',
        'a receiver that hangs has failed after ten seconds, and was pending until then',
      ),
      ...attacksIn('support/language-model.test.ts', 'a manipulated model is ignored: %s'),
      ...attacksIn(
        'enrichment/language-model.test.ts',
        'a useless answer of the model, or none, leaves the content that the service derives itself',
      ),
      ...attacksIn(
        'embeddings/faults.test.ts',
        'gives no nearness, costs no later question any time, is one line in the log, and is used again when it is right',
        'listings that change while the endpoint %s get their vectors when it is right',
      ),
      ...attacksIn('enrichment/enrichment.test.ts', 'a file that is no picture is skipped for the next one'),
    ],
  },
]

/** The whole of docs/security-tests.md. */
export function document(): string {
  const sections = TOP_TEN.map(
    ({ id, title, met, attacks }) =>
      `## ${id} ${title}\n\n${met}\n\n${attacks.map(({ file, test }) => `- \`${file}\`: ${test}`).join('\n')}\n`,
  )
  return `# Security tests

The OWASP API Security Top 10 (2023), how this service meets each risk, and the tests that attack it. \`%s\` stands for each of several
cases. Run those in \`tests/security\` with \`npm run test:security\`. This page is generated from \`tests/security/top-ten.ts\`; a test checks
that the two are equal and that every named test exists and runs. To generate it: \`UPDATE_DOCS=1 npx vitest run tests/invariants/top-ten.test.ts\`.

${sections.join('\n')}`
}
