// The video hosts that the service knows. A submission may only have a video on one of these, and pages embed it in a player that sets no
// cookie before the visitor plays the video.
import { parseWebAddress } from '../../../kernel/addresses/web-address.ts'

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
export function playerAddress(video: string | null): string | null {
  const page = video ? parseWebAddress(video) : null
  return (page && playerOf(page)?.(page)) ?? null
}
