// The script of the API reference: searches its menu, and calls this service with the reader's own key. The key is only in its field and in
// the header of a call; answers are shown as text.
;(() => {
  const menu = document.querySelector('[data-filter]')
  const field = menu?.querySelector('[data-search]')
  if (field) {
    field.closest('.field').hidden = false
    const state = menu.querySelector('[data-state]')
    const entries = [...menu.querySelectorAll('[data-words]')].map((item) => ({
      item,
      text: `${item.textContent} ${item.dataset.words}`.toLowerCase(),
    }))
    field.addEventListener('input', () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
      let count = 0
      for (const { item, text } of entries) {
        item.hidden = !words.every((word) => text.includes(word))
        if (!item.hidden) count++
      }
      for (const group of menu.querySelectorAll('[data-group]')) group.hidden = !group.querySelector('li:not([hidden])')
      state.textContent = words.length > 0 ? `${count} of ${entries.length} found` : ''
    })
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') menu.querySelector('li:not([hidden]) a')?.click()
    })
  }

  const box = document.querySelector('[data-try]')
  if (!box) return
  box.hidden = false
  const form = box.querySelector('form')
  const key = form.querySelector('[data-key]')
  const state = box.querySelector('[data-state]')
  const answer = box.querySelector('[data-answer]')
  // The key is cleared, because the browser may keep the page for "Back".
  addEventListener('pagehide', () => {
    if (key) key.value = ''
  })

  // The answer is cut here, because a browser takes long to lay out megabytes of text.
  const MOST = 200_000
  const readable = (text) => {
    let shown = text
    try {
      shown = JSON.stringify(JSON.parse(text), null, 2)
    } catch {}
    return shown.length > MOST ? `${shown.slice(0, MOST)}\n… (${shown.length - MOST} more characters)` : shown
  }

  const requestOf = () => {
    const values = { path: {}, query: new URLSearchParams(), header: {} }
    for (const [name, value] of new FormData(form)) {
      const [place, ...rest] = name.split('.')
      const field = rest.join('.')
      if (value === '' || !field) continue
      if (place === 'query') values.query.append(field, value)
      else values[place][field] = value
    }
    const missing = []
    const path = form.dataset.path.replace(/:(\w+)/g, (_, name) => {
      const value = values.path[name]?.trim() ?? ''
      // An empty value, "." and ".." would lead to another path.
      if (/^\.{0,2}$/.test(value)) missing.push(name)
      return encodeURIComponent(value)
    })
    if (missing.length > 0) throw new Error(`Give ${missing.join(' and ')}.`)
    const headers = { ...values.header }
    if (key?.value.trim()) headers.authorization = `Bearer ${key.value.trim()}`
    const body = form.elements.body?.value
    if (body !== undefined) headers['content-type'] = 'application/json'
    const query = values.query.size > 0 ? `?${values.query}` : ''
    // Without cookies: only the key decides what the call may do.
    const init = {
      method: form.dataset.method,
      headers,
      body,
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
    }
    return [path + query, init]
  }

  let currentCall
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    currentCall?.abort()
    const thisCall = new AbortController()
    currentCall = thisCall
    answer.hidden = true
    state.textContent = 'Waiting for the answer…'
    const start = performance.now()
    try {
      const [address, init] = requestOf()
      const response = await fetch(address, { ...init, signal: thisCall.signal })
      const text = await response.text()
      if (currentCall !== thisCall) return
      const took = Math.round(performance.now() - start)
      state.textContent = `${response.status} ${response.statusText}`.trim().concat(` in ${took} ms`)
      answer.querySelector('[data-headers]').textContent = [...response.headers]
        .map(([name, value]) => `${name}: ${value}`)
        .join('\n')
      answer.querySelector('[data-body]').textContent = readable(text)
      answer.hidden = false
    } catch (error) {
      if (currentCall !== thisCall) return
      const isMissingValue = error instanceof Error && error.message.startsWith('Give ')
      state.textContent = isMissingValue
        ? error.message
        : 'The call did not get through. Check the key for characters that no key has, and try again.'
    }
  })
})()
