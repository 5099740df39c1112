// Shows results below the search in the masthead while the visitor types. Without this script the form leads to the page of results.
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
  const MOST_ANSWERS = 50
  const answers = new Map()
  let timer
  let currentRequest
  let pausedUntil = 0
  let active = -1

  const options = () => [...box.querySelectorAll('[role=option]')]
  const close = () => {
    clearTimeout(timer)
    currentRequest?.abort()
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
    const thisRequest = new AbortController()
    currentRequest = thisRequest
    try {
      const response = await fetch(`/search/suggestions?${new URLSearchParams({ q })}`, { signal: thisRequest.signal })
      if (response.status === 429)
        pausedUntil = Date.now() + Math.max(1, Number(response.headers.get('retry-after')) || 60) * 1000
      const text = await response.text()
      // A proxy between the browser and the service may answer with a page of its own.
      if (!response.ok || !text.startsWith('<div data-count=')) return close()
      if (answers.size >= MOST_ANSWERS) answers.clear()
      answers.set(q, text)
      if (currentRequest === thisRequest && !thisRequest.signal.aborted) show(text)
    } catch {
      // Aborted by the next letter, or no connection: Enter still leads to the page of results.
    }
  }

  field.addEventListener('input', () => {
    clearTimeout(timer)
    currentRequest?.abort()
    const q = field.value.trim()
    if (q.length < 2) return close()
    if (answers.has(q)) return show(answers.get(q))
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
      return field.value.trim().length >= 2 && answers.has(field.value.trim()) && show(answers.get(field.value.trim()))
    const count = options().length
    // The arrow keys go through the options in a circle, of which the field itself (-1) is a part.
    activate(((active + 1 + step + count + 1) % (count + 1)) - 1)
  })
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!form.contains(relatedTarget)) close()
  })
  // Pressing the mouse on an option must not move the focus, because the list would close before the link is followed.
  box.addEventListener('mousedown', (event) => event.preventDefault())
})()
