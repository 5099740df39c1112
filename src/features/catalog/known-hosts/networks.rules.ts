// The networks on which products have profiles: how they write their names, and which addresses are profiles there.

interface Network {
  label: string
  /** Matches the address of a profile: its host without www., and its path. */
  profile: RegExp
}

export const NETWORKS: Readonly<Record<string, Network>> = {
  x: { label: 'X', profile: /^(?:x|twitter)\.com\/(?!(?:home|i|intent|login|search|share|signup)$)\w{1,15}$/i },
  linkedin: { label: 'LinkedIn', profile: /^(?:\w{2}\.)?linkedin\.com\/(?:company|in|school|showcase)\/[^/]{1,100}$/i },
  github: {
    label: 'GitHub',
    profile:
      /^github\.com\/(?!(?:about|features|login|marketplace|orgs|pricing|sponsors)\b)[\w-]{1,39}(?:\/[\w.-]{1,100})?$/i,
  },
  youtube: { label: 'YouTube', profile: /^youtube\.com\/(?:@|c\/|channel\/|user\/)[^/]{1,100}$/i },
  facebook: {
    label: 'Facebook',
    profile:
      /^facebook\.com\/(?!(?:dialog|events|groups|help|login|plugins|policies|share|sharer|watch)$)[\w-]+(?:\.(?!php$)[\w-]+)*$/i,
  },
  instagram: { label: 'Instagram', profile: /^instagram\.com\/(?!(?:accounts|explore|p|reel|reels)$)[\w.]{1,30}$/i },
  tiktok: { label: 'TikTok', profile: /^tiktok\.com\/@[\w.]{1,24}$/i },
  discord: { label: 'Discord', profile: /^(?:discord\.gg|discord\.com\/invite)\/[\w-]{1,100}$/i },
  reddit: { label: 'Reddit', profile: /^(?:old\.)?reddit\.com\/(?:r|u|user)\/[\w-]{1,50}$/i },
  bluesky: { label: 'Bluesky', profile: /^bsky\.app\/profile\/[\w.:-]{1,253}$/i },
}
