// Made from the operations of the service by scripts/client-operations.ts. Do not edit.
import type { CursorMethod, ListMethod, Method, SearchMethod, SelectMethod } from './index.js'

/** Every operation of the service. */
export interface Catalog {
  /** API overview. Names the endpoints, the documentation, the MCP address, the limits and the policies. Needs no key. */
  discover: Method<DiscoverParameters, Discovery>
  /** Search AI tools. Published AI tool listings that match every given condition, the most relevant first when q is given and the newest first otherwise. When fewer than five match every word of q, the best partial matches follow (at most 100 in all), and the header X-Catalog-Match is partial. Adult listings are left out unless includeAdult=true, category=nsfw, or an adult tag is named. */
  searchTools: SearchMethod<SearchToolsParameters, Tool>
  /** Most opened AI tools. Published AI tool listings ordered by opens, highest first. Adult listings are left out unless includeAdult=true or category=nsfw. */
  getTopTools: SelectMethod<GetTopToolsParameters, Tool, true>
  /** One AI tool. One published listing with screenshots, video, socials, faqs, features and affiliateLink. Adult listings are found too: naming one is opting in. */
  getTool: SelectMethod<GetToolParameters, ToolDetail, false>
  /** Categories of AI tools. All categories by name, each with the number of published listings in it. */
  listCategories: Method<ListCategoriesParameters, Category[]>
  /** Tags of AI tools. All tags by name, each with the number of published listings that carry it. */
  listTags: Method<ListTagsParameters, Tag[]>
  /** Search submission directories. Startup and SaaS submission directories that match every given condition, the most relevant first when q is given and by Domain Rating otherwise. When fewer than five match every word of q, the best partial matches follow (at most 100 in all), and the header X-Catalog-Match is partial. */
  searchDirectories: SearchMethod<SearchDirectoriesParameters, Directory>
  /** One submission directory. One directory with fullDescription, features, useCases, faq, deal, frame and socials. */
  getDirectory: SelectMethod<GetDirectoryParameters, DirectoryDetail, false>
  /** Categories of submission directories. All categories of submission directories by name; their slugs are what the category parameter of /directories takes. */
  listDirectoryCategories: Method<ListDirectoryCategoriesParameters, DirectoryCategory[]>
  /** What became of products in a directory. How many products were entered into a directory from here, how many were found listed and how soon, and how many listings were lost, from recorded submissions and looks at their pages. Shares and times are null below 5 products. */
  getDirectoryEvidence: Method<GetDirectoryEvidenceParameters, DirectoryEvidence>
  /** Whether a tool is still there. What the looks at the website of the tool have found, since when, and what to use instead. Every website is looked at every 7 days. */
  getToolHealth: Method<GetToolHealthParameters, ListingHealth>
  /** Whether a directory is still there. What the looks at the website of the directory have found, since when, and what to use instead. Every website is looked at every 7 days. */
  getDirectoryHealth: Method<GetDirectoryHealthParameters, ListingHealth>
  /** The calling key. What the key is, until when it works, its rate limits and, for a key of a partner, the partner. */
  getMe: Method<GetMeParameters, Me>
  /** Submit a tool. Lists a tool at once and, with a package, queues it for entry into directories. Pictures, features and FAQ that are omitted are filled in afterwards. The same website sent again with the same key answers 200 with the first submission and changes nothing, except that a package is set where none was. Call it from a server, never from a browser or app. */
  submitAiTool: Method<NewTool, SubmittedTool>
  /** List submitted tools. The calling client's own submissions, newest first, each as in the answer to POST /submit-ai-tool. Use GET /ai-tools/status for the directories of one. */
  listSubmittedTools: ListMethod<ListSubmittedToolsParameters, OwnSubmission>
  /** Correct a submitted tool. Changes the given fields of the listing. What no one but the calling client has written is changed at once; the rest becomes a proposal that an administrator accepts or refuses, and a later one replaces it. Give exactly one of id, slug and website. Neither the website, the slug nor the package can be changed here. */
  correctAiTool: Method<CorrectAiToolParameters, Correction>
  /** Withdraw a submitted tool. Withdraws the submission while no directory is recorded and its work has not begun (IN_QUEUE, or waiting for a package); the listing is hidden if the calling client made it and no other client has submitted it too. A second call says the same. Otherwise: 409. Give exactly one of id, slug and website. */
  withdrawAiTool: Method<WithdrawAiToolParameters, Withdrawal>
  /** Progress of a submitted tool. How far the directory work of a tool is that was submitted with this key. Give exactly one of id, slug and website. Poll while summary.isComplete is false, or wait for the webhook. */
  getToolStatus: Method<GetToolStatusParameters, ToolStatus>
  /** Forward a customer question. Starts a conversation, or continues one by conversationId or externalId. Hybrid clients get the reply at once when the AI can answer; otherwise, and for human-only clients always, the conversation is pending until a person replies. Poll it every 5 to 15 seconds while it is pending, or wait for the event support.replied. */
  askSupport: Method<CustomerQuestion, Conversation>
  /** One conversation. A conversation of the calling client, in the shape of POST /support/ask. */
  getConversation: Method<GetConversationParameters, Conversation>
  /** List conversations. The calling client's conversations, newest first, without their messages. */
  listConversations: ListMethod<ListConversationsParameters, ListedConversation>
  /** The webhook. Where events are sent, and which ones beside those that every partner gets. */
  getWebhookSettings: Method<GetWebhookSettingsParameters, WebhookSettings>
  /** Set the webhook. Sets the address (null: events are not sent, and can still be read) and the further events. A test key gets a 403, because these are the settings of live events too. */
  putWebhookSettings: Method<WebhookSettings, WebhookSettings>
  /** Replace the signing secret. Makes a new signing secret and shows it once. For overlapHours webhook-signature has a signature with the previous secret too. With an Idempotency-Key a repeated request gets the same secret, or a 409 when it was replaced since. A test key gets a 403. */
  rotateWebhookSecret: Method<{
  /** For how many hours the previous secret signs too: 0 to 168, 24 by default. */
  overlapHours?: number | undefined
}, NewSecret>
  /** Events in their order. Every event of the last 30 days in the order in which it happened, whether it was delivered or not, also without a webhook address. Store next when you have handled data, and ask with it later: nothing is missed and nothing is repeated. The events on request are there from when the partner chose them. */
  listEvents: CursorMethod<ListEventsParameters, PartnerEvent, string>
  /** Deliveries of events. Attempts to deliver events to the calling client's webhook address, newest first. */
  listWebhookDeliveries: CursorMethod<ListWebhookDeliveriesParameters, OwnDelivery, string | null>
  /** Send an event again. Sends the same bytes once more, to the webhook address of now, as a delivery of its own. Only what failed or has an unknown outcome can be sent again, once for each attempt. */
  resendWebhookDelivery: Method<ResendWebhookDeliveryParameters, OwnDelivery>
  /** Try the webhook. Sends a signed test.ping to the webhook address, through the same queue as every event, and waits up to twelve seconds for the outcome. One every five seconds; without a webhook address: 400. */
  testWebhook: Method<TestWebhookParameters, TestEvent>
}

/** What `discover` takes. */
export type DiscoverParameters = Record<string, never>

/** What `searchTools` takes. */
export interface SearchToolsParameters {
  /** Words or a question. Other forms of a word, longer words that begin with it and small typos match too. */
  q?: string | undefined
  /** From list_categories; several with commas. A slug or a name. Over REST that is GET /categories. nsfw opts in to adult listings. */
  category?: string | undefined
  /** From list_tags; several with commas. A slug or a name. Over REST that is GET /tags. An adult tag opts in to adult listings. */
  tag?: string | undefined
  /** The product's own pricing. */
  pricing?: 'FREE' | 'FREEMIUM' | 'PAID' | undefined
  /** Least average rating. */
  minRating?: number | undefined
  /** true: only featured. false: only the others. */
  featured?: boolean | undefined
  /** true includes adult listings. */
  includeAdult?: boolean | undefined
  /** full: only listings that match every word. partial, or omitted: when few match every word, the best partial matches follow. */
  match?: 'full' | 'partial' | undefined
  /** off: q as words alone. on, or omitted: facts in q ("free", "DoFollow", "DR over 60") are conditions, too. */
  facts?: 'on' | 'off' | undefined
  /** Order. match, the default, is by relevance, or without q the usual order. */
  sort?: 'match' | 'opens' | 'rating' | 'newest' | undefined
  /** Page, from 1. */
  page?: number | undefined
  /** Items, at most 100. 20 by default; a larger number counts as 100. */
  limit?: number | undefined
}

/** What `getTopTools` takes. */
export interface GetTopToolsParameters {
  /** Items, at most 100. 10 by default; a larger number counts as 100. */
  limit?: number | undefined
  /** From list_categories; several with commas. A slug or a name. Over REST that is GET /categories. nsfw opts in to adult listings. */
  category?: string | undefined
  /** true includes adult listings. */
  includeAdult?: boolean | undefined
}

/** What `getTool` takes. */
export interface GetToolParameters {
  /** Slug of the tool. */
  slug: string
}

/** What `listCategories` takes. */
export interface ListCategoriesParameters {
  /** Words or a question. Other forms of a word, longer words that begin with it and small typos match too. */
  q?: string | undefined
  /** Items, at most 500. 500 by default; a larger number counts as 500. */
  limit?: number | undefined
}

/** What `listTags` takes. */
export interface ListTagsParameters {
  /** Words or a question. Other forms of a word, longer words that begin with it and small typos match too. */
  q?: string | undefined
  /** Items, at most 500. 500 by default; a larger number counts as 500. */
  limit?: number | undefined
}

/** What `searchDirectories` takes. */
export interface SearchDirectoriesParameters {
  /** Words or a question. Other forms of a word, longer words that begin with it and small typos match too. */
  q?: string | undefined
  /** From list_directory_categories; several with commas. A slug or a name. Over REST that is GET /directory-categories. */
  category?: string | undefined
  /** What a submission costs. */
  cost?: 'Free' | 'Paid' | 'Freemium' | undefined
  /** Link type. In any case; several have commas between them. */
  type?: string | undefined
  /** Backlink badge. */
  badge?: 'none' | 'required' | undefined
  /** Least Domain Rating. */
  minDomainRating?: number | undefined
  /** Highest Domain Rating. */
  maxDomainRating?: number | undefined
  /** Least price. It is compared with minimumPrice. */
  minPrice?: number | undefined
  /** Highest price. It is compared with minimumPrice; a paid directory without a price is left out. */
  maxPrice?: number | undefined
  /** true: only featured. false: only the others. */
  featured?: boolean | undefined
  /** full: only listings that match every word. partial, or omitted: when few match every word, the best partial matches follow. */
  match?: 'full' | 'partial' | undefined
  /** off: q as words alone. on, or omitted: facts in q ("free", "DoFollow", "DR over 60") are conditions, too. */
  facts?: 'on' | 'off' | undefined
  /** Order. match, the default, is by relevance, or without q the usual order. */
  sort?: 'match' | 'domain-rating' | 'visits' | 'price' | 'newest' | undefined
  /** Page, from 1. */
  page?: number | undefined
  /** Items, at most 100. 20 by default; a larger number counts as 100. */
  limit?: number | undefined
}

/** What `getDirectory` takes. */
export interface GetDirectoryParameters {
  /** Slug of the directory. */
  slug: string
}

/** What `listDirectoryCategories` takes. */
export type ListDirectoryCategoriesParameters = Record<string, never>

/** What `getDirectoryEvidence` takes. */
export interface GetDirectoryEvidenceParameters {
  /** Slug of the directory. */
  slug: string
}

/** What `getToolHealth` takes. */
export interface GetToolHealthParameters {
  /** Slug of the listing. */
  slug: string
}

/** What `getDirectoryHealth` takes. */
export interface GetDirectoryHealthParameters {
  /** Slug of the listing. */
  slug: string
}

/** What `getMe` takes. */
export type GetMeParameters = Record<string, never>

/** What `listSubmittedTools` takes. */
export interface ListSubmittedToolsParameters {
  /** Only this state; WAITING: those without a package. */
  state?: 'IN_QUEUE' | 'ASSIGNED' | 'IN_PROGRESS' | 'REVIEW' | 'DONE' | 'WAITING' | undefined
  /** Items to return: 20 by default, 100 at most. */
  limit?: number | undefined
  /** Page, counted from 1. */
  page?: number | undefined
}

/** What `correctAiTool` takes. */
export interface CorrectAiToolParameters extends ToolChange {
  /** Identifier of the tool. */
  id?: string | undefined
  /** Slug of the tool. */
  slug?: string | undefined
  /** The product's site, as submitted. */
  website?: string | undefined
}

/** What `withdrawAiTool` takes. */
export interface WithdrawAiToolParameters {
  /** Identifier of the tool. */
  id?: string | undefined
  /** Slug of the tool. */
  slug?: string | undefined
  /** The product's site, as submitted. */
  website?: string | undefined
}

/** What `getToolStatus` takes. */
export interface GetToolStatusParameters {
  /** Identifier of the tool. */
  id?: string | undefined
  /** Slug of the tool. */
  slug?: string | undefined
  /** The product's site, as submitted. */
  website?: string | undefined
}

/** What `getConversation` takes. */
export interface GetConversationParameters {
  /** Identifier of the conversation. */
  id: string
}

/** What `listConversations` takes. */
export interface ListConversationsParameters {
  /** Only this conversation. */
  id?: string | undefined
  /** Only the conversation of this thread id. */
  externalId?: string | undefined
  /** Only this status. */
  status?: 'pending' | 'answered' | undefined
  /** Items to return: 20 by default, 100 at most. */
  limit?: number | undefined
  /** Page, counted from 1. */
  page?: number | undefined
}

/** What `getWebhookSettings` takes. */
export type GetWebhookSettingsParameters = Record<string, never>

/** What `listEvents` takes. */
export interface ListEventsParameters {
  /** Items to return: 100 by default, 500 at most. */
  limit?: number | undefined
  /** next of an earlier answer; without it the oldest events come first. */
  after?: string | undefined
}

/** What `listWebhookDeliveries` takes. */
export interface ListWebhookDeliveriesParameters {
  /** Only this state. */
  state?: 'pending' | 'delivered' | 'failed' | 'unknown' | undefined
  /** next of an earlier answer, or the id of a delivery: those that follow it in the list. */
  after?: string | undefined
  /** Items to return: 20 by default, 100 at most. */
  limit?: number | undefined
}

/** What `resendWebhookDelivery` takes. */
export interface ResendWebhookDeliveryParameters {
  /** Identifier of the delivery. */
  id: string
}

/** What `testWebhook` takes. */
export type TestWebhookParameters = Record<string, never>

/** Where this page stands in the whole result. */
export interface Pagination {
  /** Page returned, counted from 1. */
  page: number
  /** Items per page that were really applied. */
  limit: number
  /** Matching items across all pages. */
  total: number
  /** Number of pages; 0 when nothing matched. */
  pages: number
}

/** API overview. */
export interface Discovery {
  /** Name of the service. */
  name: string
  /** Version of the API. */
  version: string
  /** What it is. */
  description: string
  /** URL of the documentation. */
  documentation: string
  /** Address of the OpenAPI document. */
  openapi: string
  /** Address of the MCP endpoint. */
  mcp: string
  /** The endpoints. */
  endpoints: Array<{
    /** Name of the operation. */
    operation: string
    /** HTTP method. */
    method: string
    /** Path, relative to the base address. */
    path: string
    /** Kind of key it needs. */
    key: string
  }>
  /** The rate limits. */
  limits: Record<string, unknown>
  /** The usage policies. */
  policies: Record<string, unknown>
}

/** The category's slug and name. */
export interface CategoryName {
  /** Slug of the category. */
  slug: string
  /** Name of the category. */
  name: string
}

/** The tag's slug and name. */
export interface TagName {
  /** Slug of the tag. */
  slug: string
  /** Name of the tag. */
  name: string
}

/** An AI tool listing. */
export interface Tool {
  /** Stable identifier. */
  id: string
  /** Used in /tools/{slug}. */
  slug: string
  /** Name of the tool. */
  name: string
  /** What it does, in a line. */
  tagline: string
  /** What it does, at length. */
  description: string
  /** The listing page on this service's own site. */
  url: string
  /** The product's own site. */
  website: string
  /** The category, or null. */
  category: CategoryName | null
  /** The tags. */
  tags: TagName[]
  /** The product's own pricing. */
  pricing: 'FREE' | 'FREEMIUM' | 'PAID'
  /** Average rating; 0 when unrated. */
  rating: number
  /** Click-throughs; the sort key of /tools/top. */
  opens: number
  /** Whether the listing is featured. It does not affect the order. */
  featured: boolean
  /** Address of the square logo. */
  icon: string | null
  /** Address of the main picture. */
  frame: string | null
  /** Name of the founder. */
  founderName: string | null
  /** Place of the maker. */
  location: string | null
  /** Domain Rating of the product's site. */
  domainRating: number | null
  /** Whether the listing is marked for acquisition. */
  isForSale: boolean
  /** Asking price; 0 when none is given. */
  askingPrice: number
  /** Discount code; empty when none is given. */
  discountCode: string
  /** Whether there is an affiliate program. */
  affiliate: boolean
  /** When the listing was created. */
  createdAt: string | null
  /** When the listing was last changed. */
  updatedAt: string | null
}

/** A question and its answer. */
export interface Question {
  /** The question. */
  question: string
  /** Its answer. */
  answer: string
}

/** An AI tool listing with everything about it. */
export interface ToolDetail {
  /** Stable identifier. */
  id: string
  /** Used in /tools/{slug}. */
  slug: string
  /** Name of the tool. */
  name: string
  /** What it does, in a line. */
  tagline: string
  /** What it does, at length. */
  description: string
  /** The listing page on this service's own site. */
  url: string
  /** The product's own site. */
  website: string
  /** The category, or null. */
  category: CategoryName | null
  /** The tags. */
  tags: TagName[]
  /** The product's own pricing. */
  pricing: 'FREE' | 'FREEMIUM' | 'PAID'
  /** Average rating; 0 when unrated. */
  rating: number
  /** Click-throughs; the sort key of /tools/top. */
  opens: number
  /** Whether the listing is featured. It does not affect the order. */
  featured: boolean
  /** Address of the square logo. */
  icon: string | null
  /** Address of the main picture. */
  frame: string | null
  /** Name of the founder. */
  founderName: string | null
  /** Place of the maker. */
  location: string | null
  /** Domain Rating of the product's site. */
  domainRating: number | null
  /** Whether the listing is marked for acquisition. */
  isForSale: boolean
  /** Asking price; 0 when none is given. */
  askingPrice: number
  /** Discount code; empty when none is given. */
  discountCode: string
  /** Whether there is an affiliate program. */
  affiliate: boolean
  /** When the listing was created. */
  createdAt: string | null
  /** When the listing was last changed. */
  updatedAt: string | null
  /** Addresses of pictures. */
  screenshots: string[]
  /** Address of a video. */
  video: string | null
  /** Social profiles: network to address. */
  socials: Record<string, string>
  /** Questions and answers. */
  faqs: Question[]
  /** Features: name to explanation. */
  features: Record<string, string>
  /** Where to sign up as an affiliate. */
  affiliateLink: string | null
}

/** A category of AI tools. */
export interface Category {
  /** Value for the category parameter of /tools. */
  slug: string
  /** Name of the category. */
  name: string
  /** What belongs into it. */
  description: string
  /** An emoji or the address of a picture. */
  icon: string
  /** Published listings in it. */
  toolsCount: number
}

/** A tag of AI tools. */
export interface Tag {
  /** Value for the tag parameter of /tools. */
  slug: string
  /** Name of the tag. */
  name: string
  /** Published listings that carry it. */
  toolsCount: number
}

/** The directory category's slug and name. */
export interface DirectoryCategoryName {
  /** Slug of the directory category. */
  slug: string
  /** Name of the directory category. */
  name: string
}

/** A startup or SaaS submission directory. */
export interface Directory {
  /** Stable identifier. */
  id: string
  /** Used in /directories/{slug}. */
  slug: string
  /** Name of the directory. */
  name: string
  /** The directory's profile page on this service's site. */
  url: string
  /** The directory's own site. */
  website: string
  /** Address of the logo. */
  icon: string | null
  /** What a submission costs. */
  cost: 'Free' | 'Paid' | 'Freemium'
  /** Link type. */
  type: string
  /** Domain Rating, 0 to 100. */
  domainRating: number | null
  /** Visits a month. */
  monthlyVisits: number | null
  /** Whether a backlink badge is demanded. */
  requiresBadge: boolean
  /** Lowest price of a submission; 0 when free. */
  minimumPrice: number
  /** Ease of submitting. */
  submissionExperience: string | null
  /** Whether the directory is featured. */
  featured: boolean
  /** The categories. */
  categories: DirectoryCategoryName[]
  /** What it is, in a line. */
  smallDescription: string | null
  /** When the entry was created. */
  createdAt: string
  /** When the entry was last changed. */
  updatedAt: string
}

/** A deal for submitters. */
export interface Deal {
  /** What the deal is. */
  text: string
  /** Code to enter. */
  code: string
}

/** A submission directory with everything about it. */
export interface DirectoryDetail {
  /** Stable identifier. */
  id: string
  /** Used in /directories/{slug}. */
  slug: string
  /** Name of the directory. */
  name: string
  /** The directory's profile page on this service's site. */
  url: string
  /** The directory's own site. */
  website: string
  /** Address of the logo. */
  icon: string | null
  /** What a submission costs. */
  cost: 'Free' | 'Paid' | 'Freemium'
  /** Link type. */
  type: string
  /** Domain Rating, 0 to 100. */
  domainRating: number | null
  /** Visits a month. */
  monthlyVisits: number | null
  /** Whether a backlink badge is demanded. */
  requiresBadge: boolean
  /** Lowest price of a submission; 0 when free. */
  minimumPrice: number
  /** Ease of submitting. */
  submissionExperience: string | null
  /** Whether the directory is featured. */
  featured: boolean
  /** The categories. */
  categories: DirectoryCategoryName[]
  /** What it is, in a line. */
  smallDescription: string | null
  /** When the entry was created. */
  createdAt: string
  /** When the entry was last changed. */
  updatedAt: string
  /** What it is, at length. */
  fullDescription: string | null
  /** What it offers. */
  features: string[]
  /** What it is good for. */
  useCases: string[]
  /** Questions and answers. */
  faq: Question[]
  /** A deal for submitters, or null. */
  deal: Deal | null
  /** Address of the main picture. */
  frame: string | null
  /** Social profiles: network to address. */
  socials: Record<string, string>
}

/** A category of submission directories. */
export interface DirectoryCategory {
  /** Value for the category parameter of /directories. */
  slug: string
  /** Name of the category. */
  name: string
}

/** What became of products that were entered into a directory. Shares and times are null below 5 products. */
export interface DirectoryEvidence {
  /** Slug of the directory. */
  slug: string
  /** How many products were entered into it. */
  submitted: number
  /** How many of them were found listed there. */
  live: number
  /** The share of those that were found listed. */
  liveShare: number | null
  /** From entering a product to the first look that found it listed. */
  daysToLive: {
    /** Half of the listed ones were found within so many days. */
    median: number | null
    /** Nine of ten were. */
    p90: number | null
  }
  /** The share of listings that were gone within 90 days, among listings first found at least 90 days ago. */
  lostShare90: number | null
  /** The share of links that search engines follow, of the links that are there now. */
  dofollowShare: number | null
  /** The last look that found a listing there. */
  lastLiveAt: string | null
}

/** Whether the website of a listing was still there at the last look. */
export interface ListingHealth {
  /** Slug of the listing. */
  slug: string
  /** alive; moved: the website leads to another domain; parked: its domain is parked or for sale; gone: 404, 410 or no such host; blocked and unreachable say nothing about the product; unknown: not looked at yet, or not often enough to say. gone and parked are said after three looks in a row over at least 7 days. */
  state: 'gone' | 'parked' | 'moved' | 'alive' | 'blocked' | 'unreachable' | 'unknown'
  /** When this state was first found; null while it is unknown. */
  since: string | null
  /** The last look at the website; null before the first. */
  checkedAt: string | null
  /** What operators recommend instead; null when they have named none. */
  successor: {
    /** Its slug. */
    slug: string
    /** Its name. */
    name: string
  } | null
  /** Up to five similar ones that are alive, for gone, parked and moved; otherwise empty. */
  alternatives: Array<{
    /** Its slug. */
    slug: string
    /** Its name. */
    name: string
  }>
}

/** A rate limit of the key. */
export interface KeyLimit {
  /** What is counted: rest, mcp, and for partners submit and support. */
  bucket: string
  /** Calls that a window allows. */
  calls: number
  /** Length of a window. */
  seconds: number
  /** Calls that are left in the window of now. */
  remaining: number
}

/** The partner. */
export interface KeyPartner {
  /** Identifier of the partner. */
  id: string
  /** Name of the partner. */
  name: string
  /** Where events are sent. */
  webhookUrl: string | null
  /** Who answers customer questions. */
  support: 'off' | 'hybrid' | 'human'
  /** Events that are sent beside those that every partner gets; none by default. */
  events: Array<'submission.progress' | 'row.waiting' | 'listing.live' | 'listing.lost'>
}

/** The calling key. */
export interface Me {
  /** test: a test key of a partner, which works in its sandbox. */
  kind: 'catalog' | 'partner' | 'test'
  /** Decides the rate limits. */
  plan: 'standard' | 'premium'
  /** Last four characters of the key, to tell keys apart. */
  last4: string
  /** When the key was made. */
  createdAt: string
  /** When the key stops by itself, because another one replaced it. null: it works until it is revoked. */
  endsAt: string | null
  /** The rate limits. */
  limits: KeyLimit[]
  /** The partner that the key belongs to; null for a catalog key. */
  partner: KeyPartner | null
}

/** A question and its answer, as it is written. */
export interface QuestionBody {
  /** The question. */
  question: string
  /** Its answer. */
  answer: string
}

/** A tool to be listed and entered into directories. */
export interface NewTool {
  /** Name of the product. */
  name: string
  /** Public URL of the product. */
  website: string
  /** What it does, in a line. */
  tagline: string
  /** What it does, at length. */
  description: string
  /** Slug or name of an existing category, in any case. */
  category: string
  /** The product's own pricing, in any case. */
  pricing: 'FREE' | 'FREEMIUM' | 'PAID'
  /** Name of the founder. */
  founderName: string
  /** Never returned by public reads. */
  founderEmail: string
  /** Slugs or names; at most 5 unknown ones are created. May be empty. */
  tags: readonly string[]
  /** The package; omitted, it stays waiting. */
  paymentType?: 'starter' | 'pro' | 'premium' | undefined
  /** Made from the name, and unique, when omitted. */
  slug?: string | undefined
  /** Square logo; the site's favicon is fetched when omitted. */
  icon?: string | undefined
  /** Main screenshot; the site's share image is fetched when omitted. */
  frame?: string | undefined
  /** Gallery; the pictures are mirrored. */
  screenshots?: readonly string[] | undefined
  /** YouTube or Vimeo. */
  video?: string | undefined
  /** Social profiles: network to address. */
  socials?: Record<string, string> | undefined
  /** Features: name to explanation; made when omitted, none when empty. Neither names nor texts may be blank. */
  features?: Record<string, string> | undefined
  /** Questions and answers; taken from the site or made when omitted, none when empty. */
  faq?: readonly QuestionBody[] | undefined
  /** Text on the affiliate program. */
  affiliate?: string | undefined
  /** Where to sign up as an affiliate. */
  affiliateLink?: string | undefined
  /** Discount code. */
  discountCode?: string | undefined
  /** Place of the maker. */
  location?: string | undefined
  /** When it was founded, free-form. */
  foundingDate?: string | undefined
  /** Whether the founder is a customer of the partner. */
  isCustomer?: boolean | undefined
  /** Whether the product is launched. */
  isLaunched?: boolean | undefined
}

/** The submission. */
export interface SubmittedTool {
  /** Identifier of the tool. */
  id: string
  /** Name of the tool. */
  name: string
  /** Slug of the tool. */
  slug: string
  /** The product's own site. */
  website: string
  /** The listing page. */
  url: string
  /** The category that was matched. */
  category: CategoryName | null
  /** The tags. */
  tags: TagName[]
  /** The product's own pricing, in any case. */
  pricing: 'FREE' | 'FREEMIUM' | 'PAID'
  /** State of the directory work; null when there is none. */
  submissionState: 'IN_QUEUE' | 'ASSIGNED' | 'IN_PROGRESS' | 'REVIEW' | 'DONE' | null
  /** The package in upper case, or WAITING. */
  paymentStatus: string
  /** The package in words. */
  paymentLabel: string
  /** Directories that the package promises; 0 while it is waiting. */
  targetDirectoriesCount: number
  /** When the submission was made. */
  createdAt: string
  /** false when this website had been submitted with this key before. */
  created: boolean
}

/** A submission of the client. */
export interface OwnSubmission {
  /** Identifier of the tool. */
  id: string
  /** Name of the tool. */
  name: string
  /** Slug of the tool. */
  slug: string
  /** The product's own site. */
  website: string
  /** The listing page. */
  url: string
  /** The category that was matched. */
  category: CategoryName | null
  /** The tags. */
  tags: TagName[]
  /** The product's own pricing, in any case. */
  pricing: 'FREE' | 'FREEMIUM' | 'PAID'
  /** State of the directory work; null when there is none. */
  submissionState: 'IN_QUEUE' | 'ASSIGNED' | 'IN_PROGRESS' | 'REVIEW' | 'DONE' | null
  /** The package in upper case, or WAITING. */
  paymentStatus: string
  /** The package in words. */
  paymentLabel: string
  /** Directories that the package promises; 0 while it is waiting. */
  targetDirectoriesCount: number
  /** When the submission was made. */
  createdAt: string
}

/** The fields to change; what is omitted stays. */
export interface ToolChange {
  /** Name of the product. */
  name?: string | undefined
  /** What it does, in a line. */
  tagline?: string | undefined
  /** What it does, at length. */
  description?: string | undefined
  /** Slug or name of an existing category, in any case. */
  category?: string | undefined
  /** The product's own pricing, in any case. */
  pricing?: 'FREE' | 'FREEMIUM' | 'PAID' | undefined
  /** Name of the founder. */
  founderName?: string | undefined
  /** Never returned by public reads. */
  founderEmail?: string | undefined
  /** Slugs or names; at most 5 unknown ones are created. May be empty. */
  tags?: readonly string[] | undefined
  /** Square logo; the site's favicon is fetched when omitted. */
  icon?: string | undefined
  /** Main screenshot; the site's share image is fetched when omitted. */
  frame?: string | undefined
  /** Gallery; the pictures are mirrored. */
  screenshots?: readonly string[] | undefined
  /** YouTube or Vimeo. */
  video?: string | undefined
  /** Social profiles: network to address. */
  socials?: Record<string, string> | undefined
  /** Features: name to explanation; made when omitted, none when empty. Neither names nor texts may be blank. */
  features?: Record<string, string> | undefined
  /** Questions and answers; taken from the site or made when omitted, none when empty. */
  faq?: readonly QuestionBody[] | undefined
  /** Text on the affiliate program. */
  affiliate?: string | undefined
  /** Where to sign up as an affiliate. */
  affiliateLink?: string | undefined
  /** Discount code. */
  discountCode?: string | undefined
  /** Place of the maker. */
  location?: string | undefined
  /** When it was founded, free-form. */
  foundingDate?: string | undefined
  /** Whether the founder is a customer of the partner. */
  isCustomer?: boolean | undefined
  /** Whether the product is launched. */
  isLaunched?: boolean | undefined
}

/** What became of each given field. */
export interface Correction {
  /** Fields that have the given value now. */
  applied: string[]
  /** Fields that wait for an administrator. */
  proposed: string[]
}

/** The submission is withdrawn. */
export interface Withdrawal {
  /** Always true. */
  withdrawn: boolean
}

/** The link to the product. */
export interface LinkState {
  /** live: a link to the product; nofollow: a link with nofollow, ugc or sponsored; missing: no link on the page; gone: the page is no more; blocked: the directory does not let us look; unreachable: no answer; unknown: only a script fills the page; unchecked: not looked at yet. */
  state: 'live' | 'nofollow' | 'missing' | 'gone' | 'blocked' | 'unreachable' | 'unknown' | 'unchecked'
  /** When the page was last looked at. */
  checkedAt: string | null
  /** When the link was first found. */
  firstLiveAt: string | null
}

/** One directory of the work, the link on its listing, and what it waits for. */
export interface DirectorySubmission {
  /** Name of the directory. */
  name: string
  /** Slug of the directory. */
  slug: string
  /** The directory's own site. */
  url: string
  /** The live listing. */
  listingUrl: string | null
  /** Domain Rating of the directory. */
  domainRating: number | null
  /** Whether the tool was entered. */
  isSubmitted: boolean
  /** Who entered it; null while it is not entered. */
  submittedBy: 'ADMIN' | 'OWNER' | null
  /** When it was entered. */
  submittedAt: string | null
  /** A screenshot as proof. */
  proofUrl: string | null
  /** The link on the listing; null without a listing. */
  link: LinkState | null
  /** Who is waited for: us (those who enter the tool), the founder, or the directory; null: nothing is waited for. */
  waitingFor: 'us' | 'founder' | 'directory' | null
  /** Why, as a code; null if it is of no concern to the reader. */
  reason: 'to-enter' | 'overdue' | 'link-missing' | 'form-needs-answer' | 'e-mail-to-confirm' | 'payment' | 'badge' | 'review' | 'paid-queue' | 'rejected' | 'listed' | null
  /** What the reader can do, in a sentence; null if there is nothing to say. */
  action: string | null
}

/** Progress of the directory work. */
export interface ToolStatus {
  /** The tool and its package. */
  tool: {
    /** Identifier of the tool. */
    id: string
    /** Name of the tool. */
    name: string
    /** Slug of the tool. */
    slug: string
    /** The product's own site. */
    website: string
    /** The listing page. */
    url: string
    /** The package in upper case, or WAITING. */
    paymentStatus: string
    /** The package in words. */
    paymentLabel: string
    /** Directories that the package promises; 0 while it is waiting. */
    targetDirectoriesCount: number
  }
  /** State of the directory work; null when there is none. */
  submissionState: 'IN_QUEUE' | 'ASSIGNED' | 'IN_PROGRESS' | 'REVIEW' | 'DONE' | null
  /** How far the work is. */
  summary: {
    /** true once the work is Done; poll until then. */
    isComplete: boolean
    /** Directories that the tool was entered into. */
    submittedCount: number
    /** Directories on record. */
    recordedSubmissions: number
    /** Notes of the administrators. */
    notes: string
  }
  /** The directories on record. */
  submissions: DirectorySubmission[]
  /** A page with all of this that can be given to the customer; its address is its only key. */
  reportUrl: string | null
  /** When the submission was made. */
  createdAt: string
  /** When it last changed. */
  updatedAt: string
}

/** A question of a customer. */
export interface CustomerQuestionAsQuestion {
  /** The customer's question. */
  question: string
  /** Continues a thread returned earlier. */
  conversationId?: string | undefined
  /** The caller's own thread id; reuse continues the same conversation. */
  externalId?: string | undefined
  /** The end customer. */
  customer?: {
    /** Name. */
    name?: string | undefined
    /** E-mail address. */
    email?: string | undefined
    /** The caller's own id of the customer. */
    id?: string | undefined
  } | undefined
  /** Arbitrary JSON, kept on the conversation: at most 8 levels and 16 KiB. A peerPushMessageId that was seen before makes the call a retry: nothing is appended. */
  metadata?: Record<string, unknown> | undefined
}

/** A question of a customer. */
export interface CustomerQuestionAsMessage {
  /** Another name for question. */
  message: string
  /** Continues a thread returned earlier. */
  conversationId?: string | undefined
  /** The caller's own thread id; reuse continues the same conversation. */
  externalId?: string | undefined
  /** The end customer. */
  customer?: {
    /** Name. */
    name?: string | undefined
    /** E-mail address. */
    email?: string | undefined
    /** The caller's own id of the customer. */
    id?: string | undefined
  } | undefined
  /** Arbitrary JSON, kept on the conversation: at most 8 levels and 16 KiB. A peerPushMessageId that was seen before makes the call a retry: nothing is appended. */
  metadata?: Record<string, unknown> | undefined
}

/** A question of a customer, as question or as message. */
export type CustomerQuestion = CustomerQuestionAsQuestion | CustomerQuestionAsMessage

/** A message; those of the assistant say who wrote them. */
export interface ConversationMessage {
  /** Who speaks. */
  role: 'customer' | 'assistant'
  /** What was written. */
  content: string
  /** Who wrote the reply. */
  source?: 'ai' | 'human' | undefined
}

/** A conversation of a hybrid client. */
export interface HybridConversation {
  /** Identifier of the conversation. */
  id: string
  /** pending: a person will answer. answered: the last question has its reply. */
  status: 'pending' | 'answered'
  /** The caller's own thread id. */
  externalId: string | null
  /** The reply to the last question; null while pending. */
  reply: string | null
  /** Who wrote the reply. */
  replySource: 'ai' | 'human' | null
  /** The thread, oldest first. */
  messages: ConversationMessage[]
}

/** A person's reply. */
export interface AgentMessage {
  /** Identifier of the message. */
  id: string
  /** Always agent. */
  role: 'agent'
  /** Always human. */
  source: 'human'
  /** What was written. */
  content: string
  /** When it was written. */
  createdAt: string
}

/** A conversation of a human-only client. */
export interface HumanConversation {
  /** Identifier of the conversation. */
  id: string
  /** pending: a person will answer. answered: the last question has its reply. */
  status: 'pending' | 'answered'
  /** The caller's own thread id. */
  externalId: string | null
  /** The reply to the last question; null until a person replies. */
  message: AgentMessage | null
}

/** A conversation: with reply, replySource and messages for hybrid clients, message for human-only ones. */
export type Conversation = HybridConversation | HumanConversation

/** A conversation of a hybrid client, without its messages. */
export interface ListedHybridConversation {
  /** Identifier of the conversation. */
  id: string
  /** pending: a person will answer. answered: the last question has its reply. */
  status: 'pending' | 'answered'
  /** The caller's own thread id. */
  externalId: string | null
  /** The reply to the last question; null while pending. */
  reply: string | null
  /** Who wrote the reply. */
  replySource: 'ai' | 'human' | null
}

/** A conversation in a list: with reply and replySource for hybrid clients, message for human-only ones. */
export type ListedConversation = ListedHybridConversation | HumanConversation

/** Where events are sent. */
export interface WebhookSettings {
  /** Where events are sent. */
  url: string | null
  /** Events that are sent beside those that every partner gets; none by default. */
  events: readonly ('submission.progress' | 'row.waiting' | 'listing.live' | 'listing.lost')[]
}

/** The new signing secret. */
export interface NewSecret {
  /** Secret that events are signed with. It is shown only here. */
  webhookSecret: string
  /** Until when the previous secret signs too; null: it no longer signs. */
  previousValidUntil: string | null
}

/** An event, whether it was delivered or not. */
export interface PartnerEvent {
  /** Identifier of the event; webhook-id of its deliveries. */
  id: string
  /** Kind of the event. */
  event: 'directory_submissions.completed' | 'support.replied' | 'submission.progress' | 'row.waiting' | 'listing.live' | 'listing.lost' | 'test.ping'
  /** When it happened. */
  occurredAt: string
  /** The body of the webhook; the kind says which fields it has. */
  body: Record<string, unknown>
}

/** An attempt to deliver an event. */
export interface OwnDelivery {
  /** Identifier of the delivery. */
  id: string
  /** Identifier of the event (webhook-id); the same when it is sent again. */
  eventId: string
  /** Kind of the event. */
  event: string
  /** pending: not sent yet, or under way; unknown: the process that sent it was gone before it noted the answer. */
  state: 'pending' | 'delivered' | 'failed' | 'unknown'
  /** Status of the receiver's answer. */
  status: number | null
  /** Why it failed. */
  error: string | null
  /** How long the attempt took. */
  durationMs: number | null
  /** The answer's first bytes. */
  answer: string | null
  /** Whether it is of the partner's sandbox. */
  test: boolean
  /** When it was sent. */
  attemptedAt: string | null
  /** When the event happened. */
  createdAt: string
}

/** The delivery of a test event. pending: it has not ended yet. */
export interface TestEvent {
  /** Identifier of the delivery. */
  id: string
  /** pending: not sent yet, or under way; unknown: the process that sent it was gone before it noted the answer. */
  state: 'pending' | 'delivered' | 'failed' | 'unknown'
  /** Status of the receiver's answer. */
  status: number | null
  /** Why it failed. */
  error: string | null
}

/** One directory of the work. */
export interface DirectoryRow {
  /** Name of the directory. */
  name: string
  /** Slug of the directory. */
  slug: string
  /** The directory's own site. */
  url: string
  /** The live listing. */
  listingUrl: string | null
  /** Domain Rating of the directory. */
  domainRating: number | null
  /** Whether the tool was entered. */
  isSubmitted: boolean
  /** Who entered it; null while it is not entered. */
  submittedBy: 'ADMIN' | 'OWNER' | null
  /** When it was entered. */
  submittedAt: string | null
  /** A screenshot as proof. */
  proofUrl: string | null
}

/** The directory work on a tool is done. */
export interface DirectorySubmissionsCompleted {
  /** The kind of the event. */
  event: 'directory_submissions.completed'
  /** When the work was marked Done. */
  occurredAt: string
  /** The tool and its package. */
  tool: {
    /** Identifier of the tool. */
    id: string
    /** Name of the tool. */
    name: string
    /** Slug of the tool. */
    slug: string
    /** The product's own site. */
    website: string
    /** The package in upper case, or WAITING. */
    paymentStatus: string
    /** The package in words. */
    paymentLabel: string
    /** Directories that the package promises; 0 while it is waiting. */
    targetDirectoriesCount: number
  }
  /** How far the work is. */
  summary: {
    /** Directories that the tool was entered into. */
    submittedCount: number
    /** Directories on record. */
    recordedSubmissions: number
    /** Notes of the administrators. */
    notes: string
  }
  /** The directories that the tool was entered into. */
  submissions: DirectoryRow[]
}

/** A reply, as hybrid clients get it. */
export interface HybridSupportReplied {
  /** The kind of the event. */
  event: 'support.replied'
  /** When the reply was written. */
  occurredAt: string
  /** The conversation, and the reply that the event tells of. */
  conversation: {
    /** Identifier of the conversation. */
    id: string
    /** pending: a person will answer. answered: the last question has its reply. */
    status: 'pending' | 'answered'
    /** The caller's own thread id. */
    externalId: string | null
    /** The reply to the last question; null while pending. */
    reply: string | null
    /** Who wrote the reply. */
    replySource: 'ai' | 'human' | null
  }
}

/** A person's reply, as human-only clients get it. */
export interface HumanSupportReplied {
  /** The kind of the event. */
  event: 'support.replied'
  /** When the reply was written. */
  occurredAt: string
  /** The conversation, and the reply that the event tells of. */
  conversation: {
    /** Identifier of the conversation. */
    id: string
    /** The caller's own thread id. */
    externalId: string | null
    /** pending: a person will answer. answered: the last question has its reply. */
    status: 'pending' | 'answered'
    message: AgentMessage
  }
}

/** A support question has its reply, from the AI or from a person. */
export type SupportReplied = HybridSupportReplied | HumanSupportReplied

/** One directory of the work, and what it waits for. */
export interface WaitingDirectoryRow {
  /** Name of the directory. */
  name: string
  /** Slug of the directory. */
  slug: string
  /** The directory's own site. */
  url: string
  /** The live listing. */
  listingUrl: string | null
  /** Domain Rating of the directory. */
  domainRating: number | null
  /** Whether the tool was entered. */
  isSubmitted: boolean
  /** Who entered it; null while it is not entered. */
  submittedBy: 'ADMIN' | 'OWNER' | null
  /** When it was entered. */
  submittedAt: string | null
  /** A screenshot as proof. */
  proofUrl: string | null
  /** Who is waited for: us (those who enter the tool), the founder, or the directory; null: nothing is waited for. */
  waitingFor: 'us' | 'founder' | 'directory' | null
  /** Why, as a code; null if it is of no concern to the reader. */
  reason: 'to-enter' | 'overdue' | 'link-missing' | 'form-needs-answer' | 'e-mail-to-confirm' | 'payment' | 'badge' | 'review' | 'paid-queue' | 'rejected' | 'listed' | null
  /** What the reader can do, in a sentence; null if there is nothing to say. */
  action: string | null
}

/** The work on a tool has a new state, or a directory was recorded; then submission is the row of that directory. */
export interface SubmissionProgress {
  /** The kind of the event. */
  event: 'submission.progress'
  /** When it happened. */
  occurredAt: string
  /** The tool and its package. */
  tool: {
    /** Identifier of the tool. */
    id: string
    /** Name of the tool. */
    name: string
    /** Slug of the tool. */
    slug: string
    /** The product's own site. */
    website: string
    /** The package in upper case, or WAITING. */
    paymentStatus: string
    /** The package in words. */
    paymentLabel: string
    /** Directories that the package promises; 0 while it is waiting. */
    targetDirectoriesCount: number
  }
  /** State of the directory work; null when there is none. */
  submissionState: 'IN_QUEUE' | 'ASSIGNED' | 'IN_PROGRESS' | 'REVIEW' | 'DONE' | null
  /** How far the work is. */
  summary: {
    /** Directories that the tool was entered into. */
    submittedCount: number
    /** Directories on record. */
    recordedSubmissions: number
    /** Notes of the administrators. */
    notes: string
  }
  submission?: WaitingDirectoryRow | undefined
}

/** A directory waits for something that only the founder can do; submission.action says what. */
export interface RowWaiting {
  /** The kind of the event. */
  event: 'row.waiting'
  /** When it happened. */
  occurredAt: string
  /** The tool and its package. */
  tool: {
    /** Identifier of the tool. */
    id: string
    /** Name of the tool. */
    name: string
    /** Slug of the tool. */
    slug: string
    /** The product's own site. */
    website: string
    /** The package in upper case, or WAITING. */
    paymentStatus: string
    /** The package in words. */
    paymentLabel: string
    /** Directories that the package promises; 0 while it is waiting. */
    targetDirectoriesCount: number
  }
  submission: WaitingDirectoryRow
}

/** The link to the product was found on a listing for the first time; link.state says of which kind it is. */
export interface ListingLive {
  /** The kind of the event. */
  event: 'listing.live'
  /** When the page was looked at. */
  occurredAt: string
  /** The tool and its package. */
  tool: {
    /** Identifier of the tool. */
    id: string
    /** Name of the tool. */
    name: string
    /** Slug of the tool. */
    slug: string
    /** The product's own site. */
    website: string
    /** The package in upper case, or WAITING. */
    paymentStatus: string
    /** The package in words. */
    paymentLabel: string
    /** Directories that the package promises; 0 while it is waiting. */
    targetDirectoriesCount: number
  }
  submission: WaitingDirectoryRow
  link: LinkState
}

/** The link to the product, which is missing or gone. */
export interface LostLinkState {
  /** missing: no link on the page; gone: the page is no more. */
  state: 'live' | 'nofollow' | 'missing' | 'gone' | 'blocked' | 'unreachable' | 'unknown' | 'unchecked'
  /** When the page was last looked at. */
  checkedAt: string | null
  /** When the link was first found. */
  firstLiveAt: string | null
}

/** A link that was there is gone: two looks at least a day apart did not find it. */
export interface ListingLost {
  /** The kind of the event. */
  event: 'listing.lost'
  /** When the page was looked at. */
  occurredAt: string
  /** The tool and its package. */
  tool: {
    /** Identifier of the tool. */
    id: string
    /** Name of the tool. */
    name: string
    /** Slug of the tool. */
    slug: string
    /** The product's own site. */
    website: string
    /** The package in upper case, or WAITING. */
    paymentStatus: string
    /** The package in words. */
    paymentLabel: string
    /** Directories that the package promises; 0 while it is waiting. */
    targetDirectoriesCount: number
  }
  submission: WaitingDirectoryRow
  link: LostLinkState
}

/** A test event. It says nothing about any tool or conversation. */
export interface TestPing {
  /** The kind of the event. */
  event: 'test.ping'
  /** When it was asked for. */
  occurredAt: string
  /** A sentence for people. */
  message: string
}

/** The body of an event; its `event` says which one it is. */
export type WebhookEvent =
  | DirectorySubmissionsCompleted
  | SupportReplied
  | SubmissionProgress
  | RowWaiting
  | ListingLive
  | ListingLost
  | TestPing
