// The hosts of videos: a submission may name a video of these only, and a page embeds it. Neither player sets a cookie before the visitor
// plays the video.
import { parseWebAddress } from '../../kernel/web-address.ts'

const YOUTUBE = 'https://www.youtube-nocookie.com'
const VIMEO = 'https://player.vimeo.com'
export const VIDEO_PLAYERS = [YOUTUBE, VIMEO]

const youtube = (id: string | null | undefined): string | null =>
  id && /^[\w-]{6,20}$/.test(id) ? `${YOUTUBE}/embed/${id}?autoplay=1` : null

const onYoutube = ({ pathname, searchParams }: URL): string | null =>
  youtube(pathname === '/watch' ? searchParams.get('v') : /^\/(?:embed|shorts|live)\/([^/]+)/.exec(pathname)?.[1])

function onVimeo({ pathname }: URL): string | null {
  const number = /^\/(?:video\/)?(\d+)/.exec(pathname)?.[1]
  return number ? `${VIMEO}/video/${number}?dnt=1` : null
}

/** By host, without `www.` or `m.`: the player of a page's video. */
const PLAYER_OF = new Map<string, (page: URL) => string | null>([
  ['youtu.be', ({ pathname }) => youtube(pathname.slice(1))],
  ['youtube.com', onYoutube],
  ['youtube-nocookie.com', onYoutube],
  ['vimeo.com', onVimeo],
  ['player.vimeo.com', onVimeo],
])

const playerOf = ({ hostname }: URL) => PLAYER_OF.get(hostname.replace(/^(www|m)\./, ''))

export const isVideoHost = (page: URL): boolean => playerOf(page) !== undefined

/** The address for an iframe, or null for a video that can only be linked. */
export function embedAddress(video: string | null): string | null {
  const page = video ? parseWebAddress(video) : null
  return (page && playerOf(page)?.(page)) ?? null
}
