// The search in the head shows results while the visitor types. Without this script the form leads to the page of results.
;(() => {
  const form = document.querySelector('form.head-search')
  if (!form) return
  const field = form.querySelector('input')
  const box = document.createElement('div')
  box.className = 'head-found'
  box.id = 'head-found'
  box.setAttribute('role', 'listbox')
  box.setAttribute('aria-label', 'Results')
  box.hidden = true
  const status = document.createElement('p')
  status.className = 'visually-hidden'
  status.setAttribute('role', 'status')
  form.append(box, status)
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-controls': box.id,
    'aria-expanded': 'false',
  }))
    field.setAttribute(name, value)

  // Each request is charged to the visitor, so one is sent only after a pause, and an answer is kept for when its words are typed again.
  const PAUSE_MS = 250
  const MOST_KEPT = 50
  const kept = new Map()
  let timer
  let running
  let pausedUntil = 0
  let active = -1

  const options = () => [...box.querySelectorAll('[role=option]')]
  const close = () => {
    clearTimeout(timer)
    running?.abort()
    box.hidden = true
    field.setAttribute('aria-expanded', 'false')
    activate(-1)
  }
  const activate = (at) => {
    const all = options()
    active = at
    for (const [i, option] of all.entries()) option.setAttribute('aria-selected', String(i === at))
    if (at < 0) field.removeAttribute('aria-activedescendant')
    else {
      field.setAttribute('aria-activedescendant', all[at].id)
      all[at].scrollIntoView({ block: 'nearest' })
    }
  }
  const show = (text) => {
    box.innerHTML = text
    for (const [i, option] of options().entries()) option.id = `head-option-${i}`
    status.textContent = box.querySelector('[data-count]')?.dataset.count ?? ''
    box.hidden = false
    field.setAttribute('aria-expanded', 'true')
    activate(-1)
  }

  const load = async (q) => {
    const own = new AbortController()
    running = own
    try {
      const response = await fetch(`/search/suggestions?${new URLSearchParams({ q })}`, { signal: own.signal })
      if (response.status === 429)
        pausedUntil = Date.now() + Math.max(1, Number(response.headers.get('retry-after')) || 60) * 1000
      const text = await response.text()
      // A proxy between the browser and the service may answer with a page of its own.
      if (!response.ok || !text.startsWith('<div data-count=')) return close()
      if (kept.size >= MOST_KEPT) kept.clear()
      kept.set(q, text)
      if (running === own && !own.signal.aborted) show(text)
    } catch {
      // Aborted by the next letter, or no connection: Enter still leads to the page of results.
    }
  }

  field.addEventListener('input', () => {
    clearTimeout(timer)
    running?.abort()
    const q = field.value.trim()
    if (q.length < 2) return close()
    if (kept.has(q)) return show(kept.get(q))
    if (Date.now() >= pausedUntil) timer = setTimeout(load, PAUSE_MS, q)
  })
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !box.hidden) {
      event.preventDefault()
      return close()
    }
    if (event.key === 'Enter') {
      if (box.hidden || active < 0) return close()
      event.preventDefault()
      return options()[active].click()
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    if (box.hidden)
      return field.value.trim().length >= 2 && kept.has(field.value.trim()) && show(kept.get(field.value.trim()))
    const count = options().length
    // From the field to the first or the last option, and from there back to the field.
    activate(((active + 1 + step + count + 1) % (count + 1)) - 1)
  })
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!form.contains(relatedTarget)) close()
  })
  // A click on an option must not take the focus first, because the list would close before the link is followed.
  box.addEventListener('mousedown', (event) => event.preventDefault())
})()
