// Who may read which column of the database, in one table. A new column must be added here.

/**
 * - `public`: every visitor.
 * - `owner`: the partner or the user it belongs to, and administrators.
 * - `admin`: administrators.
 * - `secret`: no reader, on any page or in any answer.
 * - `reference`: the identifier of another row, which is classed there.
 * - `word`: one of a few words, a yes or no, or an order: nothing that could be recognised.
 */
export type Class = 'public' | 'owner' | 'admin' | 'secret' | 'reference' | 'word'

const TABLES: Readonly<Record<string, Partial<Record<Class, string>>>> = {
  audit: { admin: 'id at actor action subject details' },
  // The account's export has the identifiers and times of payments, mails, sessions and ways to sign in.
  billing_customers: {
    owner: 'id',
    admin: 'compared_at',
    secret: 'checkout_id checkout_at next_at leased_until deleted_at closed_at created_at',
    reference: 'user_id',
    word: 'asked answered checkouts',
  },
  billing_events: { secret: 'id received_at' },
  billing_subscriptions: {
    owner: 'id first_paid_at premium_until created_at',
    admin: 'price_id ends_at paid_until',
    secret: 'ended_at updated_at',
    reference: 'customer_id',
    word: 'status ended_by_failure refunded',
  },
  categories: { public: 'slug name description icon', word: 'version adult' },
  // The account that claims sees its token; no one else does, not even an administrator.
  claims: {
    owner: 'token proven_at checked_at created_at failed_at',
    admin: 'id',
    secret: 'website next_at unasked_at',
    reference: 'user_id tool_id',
    word: 'method',
  },
  collections: { public: 'slug name text tools directories created_at updated_at', word: 'version published' },
  changes: { secret: 'at topic ids', word: 'xid' },
  credentials: {
    owner: 'created_at',
    secret:
      'id password access_token refresh_token id_token access_token_expires_at refresh_token_expires_at scope updated_at',
    reference: 'user_id account_id',
    word: 'provider_id',
  },
  directories: {
    public:
      'id slug name website icon frame type domain_rating monthly_visits minimum_price submission_experience categories small_description full_description features use_cases faq deal socials created_at updated_at',
    admin: 'submission_link search_link automation_quote',
    word: 'version cost automation automation_read_on requires_badge featured published accepts languages minimum_age name_limit tagline_limit short_limit long_limit tags_limit ended',
  },
  directory_searches: {
    admin: 'listing_url',
    secret: 'asked_at',
    reference: 'submission_id directory_id',
    word: 'state',
  },
  directory_categories: { public: 'slug name', word: 'version' },
  directory_embeddings: {
    secret: 'model hash dimensions vector made_at due_at problem',
    reference: 'listing_id',
  },
  event_feeds: { reference: 'partner_id', word: 'test last removed' },
  enrichments: {
    admin: 'attempts parts created_at updated_at finished_at',
    reference: 'tool_id partner_id',
    word: 'state declined',
  },
  founder_products: {
    owner: 'id website fields note reason sources created_at sent_at decided_at',
    admin: 'suspicions',
    secret: 'website_key updated_at first_sent_at',
    reference: 'user_id tool_id',
    word: 'state step times_sent version',
  },
  idempotent_answers: {
    owner: 'answer',
    secret: 'key request_hash created_at',
    reference: 'partner_id',
    word: 'status',
  },
  key_calls: { owner: 'at request_id', reference: 'key_id', word: 'id surface operation status ms' },
  key_outcomes: { owner: 'day calls', reference: 'key_id', word: 'surface operation status' },
  key_settings: { secret: 'id pepper_fingerprint' },
  key_usage: { owner: 'day calls last_used_at', reference: 'key_id', word: 'surface' },
  keys: {
    owner: 'id last4 name policy_version policy_agreed_at created_at shown_at revoked_at ends_at',
    admin: 'policy_vouched_by',
    secret: 'hash',
    reference: 'user_id partner_id',
    word: 'plan test',
  },
  link_checks: {
    admin: 'id listing_url checked_at status final_url rel anchor_text',
    reference: 'submission_id directory_id',
    word: 'state noindex kept',
  },
  link_hosts: { secret: 'host next_at' },
  listing_health: {
    public: 'website since checked_at',
    admin: 'status final_url decided_at',
    secret: 'host next_at claim suspected_at',
    reference: 'listing_id successor_id',
    word: 'kind state suspected suspected_looks shows_badge',
  },
  visitor_reports: {
    admin: 'id messages answer answered_by answered_at first_at last_at',
    reference: 'listing_id',
    word: 'kind state counts version',
  },
  listing_links: {
    owner: 'listing_url checked_at first_live_at',
    admin: 'lost_at next_at drift',
    secret: 'host recorded_at missing_since claim own_words',
    reference: 'submission_id directory_id partner_id',
    word: 'state was_live',
  },
  mails: {
    owner: 'created_at',
    admin: 'problem',
    secret: 'id email details attempted_at',
    reference: 'user_id',
    word: 'kind state',
  },
  oauth_clients: { owner: 'id name website redirect_uris', secret: 'created_at updated_at', word: 'kind' },
  oauth_codes: { owner: 'redirect_uri', secret: 'hash challenge expires_at used_at', reference: 'grant_id' },
  oauth_grants: {
    owner: 'id policy_version policy_agreed_at created_at ended_at',
    reference: 'user_id client_id',
    word: 'ended_by operator',
  },
  oauth_tokens: {
    secret: 'access_hash access_expires_at refresh_hash refresh_expires_at refreshed_at created_at',
    reference: 'grant_id',
  },
  oauth_usage: { owner: 'day calls last_used_at', reference: 'grant_id', word: 'surface' },
  orders: {
    owner: 'id payment_id amount refunded_amount created_at paid_at',
    secret: 'price_id checkout_id checkout_at updated_at',
    reference: 'user_id customer_id tool_id submission_id',
    word: 'payment_type state checkouts currency disputed',
  },
  partners: {
    owner: 'id name contact_email webhook_url created_at updated_at',
    secret: 'webhook_secret previous_secret previous_valid_until',
    word: 'version support events banned plan_budget plan_badges',
  },
  picture_copies: { secret: 'key name address made_at' },
  picture_work: {
    admin: 'attempts parts updated_at',
    secret: 'host hash due_at leased_until',
    reference: 'listing_id',
    word: 'kind state',
  },
  plan_decisions: {
    admin: 'reason created_at updated_at',
    reference: 'submission_id directory_id',
    word: 'version decision',
  },
  queue_views: { admin: 'name query', secret: 'created_at', reference: 'owner' },
  // Administrators read the reason among what is suspicious about a later product.
  refused_websites: { secret: 'website_key reason refused_at' },
  sandbox_submissions: {
    // Besides administrators only a test key of the partner reads them; none of the readers has one.
    admin: 'id tool_id name slug website website_key category tags notes rows created_at updated_at',
    secret: 'next_step_at report_token',
    reference: 'partner_id',
    word: 'pricing payment_type state parts',
  },
  robots_files: { secret: 'origin rules fetched_at' },
  sessions: {
    owner: 'created_at expires_at',
    secret: 'id token ip_address user_agent updated_at',
    reference: 'user_id',
  },
  saved_items: { owner: 'value query created_at', reference: 'user_id', word: 'kind' },
  sign_in_links: { owner: 'created_at expires_at', secret: 'hash email', reference: 'user_id' },
  submission_details: {
    admin: 'affiliate_text founding_date',
    reference: 'submission_id',
    word: 'is_customer is_launched',
  },
  submission_rows: {
    owner: 'listing_url submitted_at proof_url',
    admin: 'created_at updated_at waiting_since',
    secret: 'lost_at',
    reference: 'submission_id directory_id',
    word: 'version is_submitted submitted_by waiting_reason',
  },
  submission_tags: { admin: 'written', reference: 'submission_id slug' },
  submissions: {
    // The listing shows the site too, unless an administrator gave it another one.
    public: 'website_key slug',
    owner: 'id notes report_token created_at updated_at',
    admin: 'assignee internal_notes',
    reference: 'partner_id tool_id',
    word: 'version payment_type state kind language plan_budget plan_badges',
  },
  support_articles: { owner: 'title body', admin: 'id created_at', reference: 'partner_id', word: 'version position' },
  support_conversations: {
    owner: 'id external_id customer metadata message_count open_questions created_at updated_at',
    secret: 'sample_reply_at',
    reference: 'partner_id last_question_id reply_id',
    word: 'version status test',
  },
  support_desks: {
    admin: 'assignee internal_notes',
    secret: 'updated_at',
    reference: 'conversation_id',
    word: 'version',
  },
  support_knowledge_versions: { reference: 'owner', word: 'version' },
  support_messages: {
    owner: 'id content peer_message_id created_at',
    admin: 'author passages not_answered',
    reference: 'conversation_id partner_id answers_id',
    word: 'number role source test',
  },
  support_saved_replies: { admin: 'title body', secret: 'updated_at', word: 'version' },
  tags: { public: 'slug name name_key', reference: 'submitted_by', word: 'version adult submitted' },
  tool_embeddings: {
    secret: 'model hash dimensions vector made_at due_at problem',
    reference: 'listing_id',
  },
  search_opening_callers: { secret: 'pair caller month' },
  search_openings: { owner: 'words weight', admin: 'last_day', reference: 'listing_id', word: 'id' },
  site: { public: 'fields updated_at', word: 'id version agents_stopped' },
  tools: {
    public:
      'id slug name tagline description website website_key category tags rating opens icon frame founder_name location domain_rating asking_price discount_code affiliate_link screenshots video socials faqs features created_at updated_at',
    admin: 'founder_email search_words',
    word: 'version pricing featured is_for_sale affiliate published hidden_reason flagged_fields edited_fields ended',
  },
  model_calls: { admin: 'model failure milliseconds input_tokens output_tokens created_at', word: 'id purpose cost' },
  unfound_questions: { admin: 'words nothing partial last_day', word: 'searched' },
  users: {
    owner: 'id email name image created_at updated_at',
    reference: 'partner_id',
    word: 'version email_verified plan granted_plan paid_plan role banned',
  },
  verifications: { secret: 'id identifier value expires_at created_at updated_at' },
  tool_days: { owner: 'day appearances views opens', reference: 'tool_id' },
  visits: { secret: 'day visitor', reference: 'tool_id' },
  catalog_feed: { word: 'id last removed' },
  catalog_marks: { admin: 'slug at', word: 'kind version gone position' },
  proposals: {
    admin: 'id old_value new_value quote reason decided_by decided_at created_at',
    reference: 'tool_id directory_id author_id',
    word: 'author_kind field state version',
  },
  withdrawals: { secret: 'slug website_key created_at', reference: 'partner_id tool_id', word: 'test' },
  partner_events: { owner: 'id body created_at', reference: 'partner_id', word: 'event test position' },
  webhook_deliveries: {
    owner: 'id event_id body error duration_ms answer created_at attempted_at',
    secret: 'held_until',
    reference: 'partner_id',
    word: 'event state status test',
  },
}

/** By `table.column`. */
export const CLASSES: ReadonlyMap<string, Class> = new Map(
  Object.entries(TABLES).flatMap(([table, classes]) =>
    Object.entries(classes).flatMap(([kind, columns]) =>
      columns.split(' ').map((column) => [`${table}.${column}`, kind as Class] as const),
    ),
  ),
)
