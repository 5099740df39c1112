// The names of our cookies. A browser sends the cookies of a host to all of its ports, so the name carries the port: two services on one
// host neither read nor overwrite each other's session. Behind https the __Host- prefix binds a cookie to the host and to https.

/** The beginning of every cookie's name. */
export function cookiePrefix(publicUrl: string): string {
  const { protocol, port } = new URL(publicUrl)
  return `${protocol === 'https:' ? '__Host-' : ''}catalog${port ? `_${port}` : ''}`
}

export const sessionCookieName = (publicUrl: string): string => `${cookiePrefix(publicUrl)}_session`
