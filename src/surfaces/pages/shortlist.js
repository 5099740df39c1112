// The shortlist, which this browser stores, and the account of a signed-in user: a button beside every listing, and a link to the shortlist
// page. The service makes that page from the slugs in its address. assets.ts defines MOST_SAVED.
;(() => {
  const STORAGE_KEY = 'shortlist'
  const ENTRY = /^(tools|directories)\/([a-z0-9-]{1,100})$/
  const read = () => {
    try {
      const stored = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]')
      return Array.isArray(stored) ? stored.filter((one) => ENTRY.test(one)) : []
    } catch {
      return []
    }
  }
  const write = (kept) => {
    try {
      if (kept.length > 0) localStorage.setItem(STORAGE_KEY, JSON.stringify(kept))
      else localStorage.removeItem(STORAGE_KEY)
      return true
    } catch {
      return false
    }
  }
  // What script.js stores while a user is signed in; here it also says that the lists of browser and account are joined.
  const SIGNED_IN_KEY = 'signed-in'
  const JOINED = 'joined'
  const signedIn = () => localStorage.getItem(SIGNED_IN_KEY)
  // Browsers may forbid the storage; then there are no buttons, because nothing could be kept.
  if (!write(read())) return

  const addressOf = (kept) => {
    const slugs = (kind) =>
      kept.flatMap((one) => (one.startsWith(`${kind}/`) ? [one.slice(kind.length + 1)] : [])).slice(-MOST_SAVED)
    const parts = ['tools', 'directories'].flatMap((kind) =>
      slugs(kind).length > 0 ? [`${kind}=${slugs(kind).join(',')}`] : [],
    )
    return `/shortlist${parts.length > 0 ? `?${parts.join('&')}` : ''}`
  }

  const page = document.querySelector('[data-shortlist]')
  // Without slugs in the address, the page shows what this browser stores.
  const openStored = () => {
    const isLeft = page?.dataset.shortlist === 'empty' && location.search === '' && read().length > 0
    if (isLeft) location.replace(addressOf(read()))
    return isLeft
  }
  if (signedIn() === null && openStored()) return

  const SVG = 'http://www.w3.org/2000/svg'
  const bookmark = () => {
    const icon = document.createElementNS(SVG, 'svg')
    for (const [name, value] of Object.entries({ class: 'i', viewBox: '0 0 24 24', 'aria-hidden': 'true' }))
      icon.setAttribute(name, value)
    const path = document.createElementNS(SVG, 'path')
    path.setAttribute('d', 'm19 21-7-4-7 4V5a2 2 0 0 1 2-2h10a2 2 0 0 1 2 2z')
    icon.append(path)
    return icon
  }

  const shortlistLink = document.createElement('a')
  shortlistLink.className = 'kept-count'
  shortlistLink.title = 'Shortlist'
  const count = document.createElement('span')
  shortlistLink.append(bookmark(), count)
  document.querySelector('.head-end')?.prepend(shortlistLink)
  const showCount = () => {
    const kept = read()
    shortlistLink.hidden = kept.length === 0 || page !== null
    shortlistLink.href = addressOf(kept)
    shortlistLink.setAttribute('aria-label', `Shortlist (${kept.length})`)
    count.textContent = kept.length
  }

  const addButtons = () => {
    const kept = new Set(read())
    for (const place of document.querySelectorAll('[data-keep]')) {
      if (place.querySelector('.keep')) continue
      const button = document.createElement('button')
      button.type = 'button'
      button.className = 'keep'
      button.title = 'Shortlist'
      button.setAttribute('aria-label', `Shortlist ${place.dataset.name}`)
      button.setAttribute('aria-pressed', String(kept.has(place.dataset.keep)))
      button.append(bookmark())
      place.append(button)
    }
  }

  // The account's list. After signing in it is joined with what this browser has; afterwards it counts alone. It is asked for then, on the
  // page of the shortlist, and when the list is changed.
  const ACCOUNT = '/dashboard/saved/shortlist'
  const withAccount = async (change) => {
    if (signedIn() === null) return
    const answer = await fetch(`${ACCOUNT}.json`, { redirect: 'manual' })
    if (answer.status !== 200) return
    const { token, ...lists } = await answer.json()
    const stored = Object.entries(lists).flatMap(([kind, slugs]) => slugs.map((slug) => `${kind}/${slug}`))
    const added = signedIn() === JOINED ? [] : read().filter((one) => !stored.includes(one))
    const body = new URLSearchParams({ token, ...change })
    if (added.length > 0)
      for (const [name, value] of new URL(addressOf(added), location).searchParams) body.set(name, value)
    if (body.size > 1) await fetch(ACCOUNT, { method: 'POST', body, redirect: 'manual' })
    if (!change) write([...stored, ...added].slice(-2 * MOST_SAVED))
    localStorage.setItem(SIGNED_IN_KEY, JOINED)
    refresh()
  }
  const tryAccount = (change) => {
    withAccount(change).then(openStored, openStored)
  }

  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element && event.target.closest('.keep')
    const place = button?.closest('[data-keep]')
    if (!place) return
    const willBeKept = button.getAttribute('aria-pressed') !== 'true'
    const others = read().filter((one) => one !== place.dataset.keep)
    write(willBeKept ? [...others, place.dataset.keep].slice(-2 * MOST_SAVED) : others)
    button.setAttribute('aria-pressed', String(willBeKept))
    showCount()
    const [kind, slug] = place.dataset.keep.split('/')
    tryAccount(willBeKept ? { [kind]: slug } : { remove: kind, slug })
  })
  document.addEventListener('htmx:after:swap', addButtons)
  // Another tab may have changed the list, also while this page was left and opened again with "Back".
  const refresh = () => {
    const kept = new Set(read())
    for (const button of document.querySelectorAll('.keep'))
      button.setAttribute('aria-pressed', String(kept.has(button.closest('[data-keep]').dataset.keep)))
    showCount()
  }
  addEventListener('storage', refresh)
  addEventListener('pageshow', refresh)
  addButtons()
  showCount()
  if (page || (signedIn() !== JOINED && document.querySelector('[data-keep]'))) tryAccount()
})()
