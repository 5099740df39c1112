// A shortlist that is kept in this browser: a button beside every listing, and a link to the list. The page of the list is made by the
// service from its address.
;(() => {
  const NAME = 'shortlist'
  // As the page of the list shows; see site/shortlist.ts.
  const MOST = 50
  const PLACE = /^(tools|directories)\/([a-z0-9-]{1,100})$/
  // Browsers may forbid the storage; then there are no buttons, because they would forget.
  const read = () => {
    try {
      const stored = JSON.parse(localStorage.getItem(NAME) ?? '[]')
      return Array.isArray(stored) ? stored.filter((one) => PLACE.test(one)) : []
    } catch {
      return []
    }
  }
  const write = (kept) => {
    try {
      if (kept.length > 0) localStorage.setItem(NAME, JSON.stringify(kept))
      else localStorage.removeItem(NAME)
      return true
    } catch {
      return false
    }
  }
  if (!write(read())) return

  const addressOf = (kept) => {
    const slugs = (kind) =>
      kept.flatMap((one) => (one.startsWith(`${kind}/`) ? [one.slice(kind.length + 1)] : [])).slice(-MOST)
    const parts = ['tools', 'directories'].flatMap((kind) =>
      slugs(kind).length > 0 ? [`${kind}=${slugs(kind).join(',')}`] : [],
    )
    return `/shortlist${parts.length > 0 ? `?${parts.join('&')}` : ''}`
  }

  const page = document.querySelector('[data-shortlist]')
  // The plain address shows what this browser keeps.
  if (page?.dataset.shortlist === 'empty' && location.search === '' && read().length > 0)
    return location.replace(addressOf(read()))

  const tray = document.createElement('a')
  tray.className = 'button kept-count'
  document.querySelector('footer .wrap')?.append(tray)
  const showCount = () => {
    const kept = read()
    tray.hidden = kept.length === 0 || page !== null
    tray.href = addressOf(kept)
    tray.textContent = `Shortlist (${kept.length})`
  }

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

  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element && event.target.closest('.keep')
    const place = button?.closest('[data-keep]')
    if (!place) return
    const isKept = button.getAttribute('aria-pressed') !== 'true'
    const others = read().filter((one) => one !== place.dataset.keep)
    write(isKept ? [...others, place.dataset.keep].slice(-2 * MOST) : others)
    button.setAttribute('aria-pressed', String(isKept))
    showCount()
  })
  document.addEventListener('htmx:after:swap', addButtons)
  // Another tab, or this page after "Back".
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
})()
