import { parseWebAddress } from '../../../kernel/addresses/web-address.ts'

// The networks on which products have profiles (how they write their names, and which addresses are profiles there), and the video hosts
// that the service knows: a submission may only have a video on one of these, and pages embed it in a player that sets no cookie before the
// visitor plays the video.
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

const YOUTUBE = 'https://www.youtube-nocookie.com'
const VIMEO = 'https://player.vimeo.com'
export const VIDEO_PLAYERS = [YOUTUBE, VIMEO]

const youtubePlayer = (id: string | null | undefined): string | null =>
  id && /^[\w-]{6,20}$/.test(id) ? `${YOUTUBE}/embed/${id}?autoplay=1` : null

const playerOfYoutubePage = ({ pathname, searchParams }: URL): string | null =>
  youtubePlayer(pathname === '/watch' ? searchParams.get('v') : /^\/(?:embed|shorts|live)\/([^/]+)/.exec(pathname)?.[1])

function playerOfVimeoPage({ pathname }: URL): string | null {
  const number = /^\/(?:video\/)?(\d+)/.exec(pathname)?.[1]
  return number ? `${VIMEO}/video/${number}?dnt=1` : null
}

/** By host, without `www.` or `m.`: turns the address of a video's page into the address of its player. */
const PLAYER_OF = new Map<string, (page: URL) => string | null>([
  ['youtu.be', ({ pathname }) => youtubePlayer(pathname.slice(1))],
  ['youtube.com', playerOfYoutubePage],
  ['youtube-nocookie.com', playerOfYoutubePage],
  ['vimeo.com', playerOfVimeoPage],
  ['player.vimeo.com', playerOfVimeoPage],
])

const playerOf = ({ hostname }: URL) => PLAYER_OF.get(hostname.replace(/^(www|m)\./, ''))

export const isVideoHost = (page: URL): boolean => playerOf(page) !== undefined

/** The address of the player for an iframe; null for a video that a page can only link to. */
export function embedAddress(video: string | null): string | null {
  const page = video ? parseWebAddress(video) : null
  return (page && playerOf(page)?.(page)) ?? null
}
