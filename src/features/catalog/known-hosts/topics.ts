// The topics of products and directories, with the words by which each is recognised. The table is small and in plain words on purpose: a
// plan gives the topic as the reason for a directory's place, and an operator can see which word is missing.

export interface TopicDeclaration {
  /** The end of the sentence "lists …". */
  label: string
  words: string
  /** Further words that show it for a directory, but not for a product: a product that uses GPT-4 is not a custom GPT. */
  directoryWords?: string
  /** Like `words`, but for a product only in its name, category and tags: a wedding speech in a description is no voice tool. */
  termWords?: string
  /** Further topics that a product of this topic has. */
  touches?: readonly string[]
  /** A product that has no other topics is no business software. */
  isNoBusiness?: true
  /** A directory of this topic lists nothing else: a product without the topic cannot be submitted to it. */
  isExclusive?: true
}

export const TOPICS = {
  writing: {
    label: 'writing tools',
    words: 'writing writer write copywriting copywriter grammar essay paraphrasing fiction',
  },
  images: {
    label: 'image tools',
    words: 'image images photo photos picture avatar illustration diffusion midjourney wallpaper artwork artist',
  },
  video: { label: 'video tools', words: 'video videos film filmmaking animation clip movie youtube' },
  audio: {
    label: 'audio and voice tools',
    words: 'audio voice music sound podcast song tts transcription voiceover',
    termWords: 'speech',
  },
  developers: {
    label: 'developer tools',
    words: 'developer dev code coding programming programmer sdk github ide debugging devops devtools frontend backend',
  },
  design: { label: 'design tools', words: 'design designer ui ux graphic logo figma branding webflow infographic' },
  marketing: {
    label: 'marketing tools',
    words: 'marketing marketer seo ads advertising campaign affiliate influencer linkedin backlink',
  },
  sales: { label: 'sales tools', words: 'sales crm prospecting outreach' },
  education: {
    label: 'education tools',
    words: 'education student teacher course school study academia academic exam tutoring academy elearning',
    isNoBusiness: true,
  },
  research: {
    label: 'research tools',
    words: 'research researcher science scientific paper citation literature',
    isNoBusiness: true,
  },
  finance: {
    label: 'finance tools',
    words: 'finance finances financial fintech bookkeeping accounting payment payments',
  },
  investing: { label: 'tools for investors', words: 'investing investor trading stocks', touches: ['finance'] },
  health: { label: 'health tools', words: 'health healthcare medical fitness wellness therapy' },
  law: { label: 'legal tools', words: 'legal law lawyer contract contracts' },
  hiring: {
    label: 'hiring and job tools',
    words: 'hiring recruiting recruitment resume cv job jobs interview interviews',
  },
  shops: { label: 'tools for online shops', words: 'ecommerce shopify woocommerce dropshipping' },
  games: { label: 'games', words: 'game games gaming', isNoBusiness: true },
  security: { label: 'security tools', words: 'security cybersecurity pentesting exploit exploits' },
  data: { label: 'data tools', words: 'data analytics database spreadsheet sql dashboard bigdata' },
  productivity: {
    label: 'productivity tools',
    words: 'productivity email inbox mail meeting meetings calendar scheduling todo reminder reminders',
    termWords: 'task tasks notes workflow',
  },
  support: { label: 'customer support tools', words: 'helpdesk ticketing', termWords: 'support' },
  personal: {
    label: 'products for private life',
    words:
      'wedding birthday dating baby pet pets recipe recipes cooking travel tattoo gift horoscope astrology parenting',
    isNoBusiness: true,
  },
  nocode: { label: 'no-code tools', words: 'nocode lowcode' },
  chatbots: { label: 'chatbots', words: 'chatbot chatbots bot bots' },
  agents: { label: 'AI agents', words: 'agent agents agentic' },
  sustainability: { label: 'sustainability software', words: 'sustainability sustainable climate carbon' },
  web3: { label: 'web3 products', words: 'web3 crypto blockchain nft' },
  deals: { label: 'lifetime deals', words: 'deal deals lifetime' },
  gpts: { label: 'custom GPTs', words: 'gpts', directoryWords: 'gpt 1000gpt', isExclusive: true },
  mcp: { label: 'MCP servers', words: 'mcp', isExclusive: true },
  // Not in descriptions: a product for agencies is no agency, and one that takes prompts is no prompt.
  agencies: { label: 'agencies', words: '', termWords: 'agency agencies', isExclusive: true },
  prompts: { label: 'prompts', words: '', termWords: 'prompt prompts', isExclusive: true },
  detectors: { label: 'AI detectors', words: 'detector detectors', isExclusive: true },
  hackathons: { label: 'hackathon projects', words: 'hackathon', isExclusive: true },
  forSale: { label: 'businesses for sale', words: 'acquire acquisition auction auctions selling', isExclusive: true },
  adult: { label: 'adult products', words: 'adult nsfw porn xxx hentai', isExclusive: true, isNoBusiness: true },
  // Recognised only by the host of the directory (`known-hosts.rules.ts`).
  articles: { label: 'articles and posts', words: '', isExclusive: true },
  siteFigures: { label: 'figures about web sites', words: '', isExclusive: true },
  revenue: { label: 'companies that publish their revenue', words: '', isExclusive: true },
  showcases: { label: 'portfolios and examples of design', words: '', isExclusive: true },
  affiliates: { label: 'affiliate programs', words: '', isExclusive: true },
  directories: { label: 'directories', words: '', isExclusive: true },
} as const satisfies Record<string, TopicDeclaration>

export type Topic = keyof typeof TOPICS
