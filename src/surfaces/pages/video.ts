// Which videos a page can embed, and from which host. Neither host sets a cookie before the visitor plays the video.
import { webAddress } from './addresses.ts'

const YOUTUBE = 'https://www.youtube-nocookie.com'
const VIMEO = 'https://player.vimeo.com'
export const VIDEO_HOSTS = [YOUTUBE, VIMEO]

/** The address for an iframe, or null for a video that can only be linked. */
export function embedAddress(video: string | null): string | null {
  const address = webAddress(video)
  if (!address) return null
  const { hostname, pathname, searchParams } = new URL(address)
  const host = hostname.replace(/^(www|m)\./, '')
  if (host === 'youtu.be') return youtube(pathname.slice(1))
  if (host === 'youtube.com' || host === 'youtube-nocookie.com')
    return youtube(
      pathname === '/watch' ? searchParams.get('v') : (/^\/(?:embed|shorts|live)\/([^/]+)/.exec(pathname)?.[1] ?? null),
    )
  if (host === 'vimeo.com' || host === 'player.vimeo.com') {
    const number = /^\/(?:video\/)?(\d+)/.exec(pathname)?.[1]
    return number ? `${VIMEO}/video/${number}?dnt=1` : null
  }
  return null
}

const youtube = (id: string | null): string | null =>
  id && /^[\w-]{6,20}$/.test(id) ? `${YOUTUBE}/embed/${id}?autoplay=1` : null
