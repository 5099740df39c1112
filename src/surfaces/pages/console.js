// Adds what plain links and forms of the console cannot do: dropping pictures on a form, moving cards of the board, and the bench, the page
// on which an operator enters a submission into directories. Every page works without this script, which never executes text from the page.
;(() => {
  // Shortcuts of a single key can be turned off, because speech input and shaking hands press keys by accident. Browsers may forbid the
  // storage; the choice then holds only for this page.
  const KEYS_OFF = 'console-keys-off'
  const tryStorage = (use) => {
    try {
      return use()
    } catch {
      return null
    }
  }
  let areKeysOff = tryStorage(() => localStorage.getItem(KEYS_OFF)) !== null
  for (const box of document.querySelectorAll('[data-keys-switch]')) {
    box.closest('[hidden]')?.removeAttribute('hidden')
    box.checked = !areKeysOff
    box.addEventListener('change', () => {
      areKeysOff = !box.checked
      tryStorage(() => (areKeysOff ? localStorage.setItem(KEYS_OFF, 'true') : localStorage.removeItem(KEYS_OFF)))
    })
  }

  document.addEventListener('keydown', (event) => {
    const isText = event.target instanceof HTMLTextAreaElement
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || event.isComposing || !isText) return
    event.preventDefault()
    event.target.form?.requestSubmit()
  })

  document.addEventListener('keydown', (event) => {
    if (event.key !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    location.assign('/admin/find#field-q')
  })

  // Files that are dropped on a field of pictures become its files. Small previews of them are drawn on a canvas.
  for (const box of document.querySelectorAll('[data-drop]')) {
    const field = box.querySelector('input[type=file]')
    const previews = Object.assign(document.createElement('div'), { className: 'row picture-now' })
    box.append(previews)
    const drawPreview = async (file) => {
      const bitmap = await createImageBitmap(file, { resizeHeight: 80 })
      const canvas = Object.assign(document.createElement('canvas'), { width: bitmap.width, height: 80 })
      canvas.getContext('2d').drawImage(bitmap, 0, 0)
      previews.append(canvas)
    }
    field.addEventListener('change', () => {
      previews.replaceChildren()
      for (const file of field.files) drawPreview(file).catch(() => {})
    })
    for (const type of ['dragover', 'dragleave', 'drop'])
      box.addEventListener(type, (event) => {
        if (!event.dataTransfer?.types.includes('Files')) return
        event.preventDefault()
        box.classList.toggle('over', type === 'dragover')
        const { files } = event.dataTransfer
        if (type !== 'drop' || files.length === 0 || (files.length > 1 && !field.multiple)) return
        field.files = files
        field.dispatchEvent(new Event('change'))
      })
  }

  // While the form of the site is filled in, its preview, its errors and the colours of the page follow.
  const live = document.querySelector('form[data-site-form]')
  if (live) {
    const colour = live.querySelector('#field-accentColor')
    const picker = live.querySelector('[data-picker]')
    let waiting
    let request
    const showErrors = (page) => {
      for (const control of live.querySelectorAll('.field [id^=field-]:not(p)')) {
        const next = page.getElementById(control.id)
        document.getElementById(`${control.id}-error`)?.remove()
        const error = page.getElementById(`${control.id}-error`)
        if (error) {
          control.closest('.field').append(error)
          control.closest('details')?.setAttribute('open', '')
        }
        for (const name of ['aria-invalid', 'aria-describedby'])
          if (next?.hasAttribute(name)) control.setAttribute(name, next.getAttribute(name))
          else control.removeAttribute(name)
      }
    }
    const showColours = (page) => {
      const [now, next] = [document, page].map((one) => one.querySelector('link[rel=stylesheet]'))
      if (!next || now.getAttribute('href') === next.getAttribute('href')) return
      const link = now.cloneNode()
      link.setAttribute('href', next.getAttribute('href'))
      link.addEventListener('load', () => now.remove())
      now.after(link)
    }
    const preview = async () => {
      request?.abort()
      request = new AbortController()
      const data = new FormData(live)
      for (const { name } of live.querySelectorAll('[type=file]')) data.delete(name)
      data.set('preview', 'true')
      try {
        const answer = await fetch(live.action, { method: 'POST', body: data, signal: request.signal })
        const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
        const shown = page.querySelector('[data-preview]')
        if (answer.redirected || !shown) return
        document.querySelector('[data-preview]').replaceChildren(...shown.childNodes)
        showErrors(page)
        showColours(page)
      } catch {}
    }
    const takeColour = (value) => {
      colour.value = value
      colour.dispatchEvent(new Event('input', { bubbles: true }))
    }
    picker.hidden = false
    picker.value = colour.value
    picker.addEventListener('input', (event) => {
      event.stopPropagation()
      takeColour(picker.value)
    })
    for (const button of live.querySelectorAll('[data-palette]'))
      button.addEventListener('click', (event) => {
        event.preventDefault()
        takeColour(button.value)
      })
    live.addEventListener('input', ({ target }) => {
      if (target === colour && /^#[0-9a-f]{6}$/i.test(colour.value)) picker.value = colour.value
      clearTimeout(waiting)
      waiting = setTimeout(preview, 400)
    })
  }

  // Cards of the board are dragged to another column, or moved with [ and ] while the focus is in them.
  const MOVED_CARD = 'board-focus'
  const columns = [...document.querySelectorAll('[data-column]')]
  const moveCard = (card, column) => {
    const form = card?.querySelector('form[data-move]')
    const state = column?.dataset.column
    if (!form || !state || card.closest('[data-column]') === column) return
    if (state === 'DONE') return location.assign(`${card.querySelector('h3 a').href}/done`)
    const field = form.elements.state
    if (![...field.options].some(({ value }) => value === state)) return
    field.value = state
    tryStorage(() => sessionStorage.setItem(MOVED_CARD, card.dataset.card))
    form.requestSubmit()
  }
  if (columns.length > 0) {
    let dragged = null
    document.addEventListener('dragstart', ({ target }) => {
      dragged = target instanceof Element ? target.closest('[data-card]') : null
    })
    for (const column of columns) {
      column.addEventListener('dragover', (event) => dragged && event.preventDefault())
      column.addEventListener('drop', (event) => {
        event.preventDefault()
        moveCard(dragged, column)
      })
    }
    document.addEventListener('keydown', (event) => {
      const card = event.target instanceof Element && event.target.closest('[data-card]')
      if (!card || areKeysOff || event.ctrlKey || event.metaKey || !['[', ']'].includes(event.key)) return
      event.preventDefault()
      moveCard(card, columns[columns.indexOf(card.closest('[data-column]')) + (event.key === ']' ? 1 : -1)])
    })
    const moved = tryStorage(() => sessionStorage.getItem(MOVED_CARD))
    tryStorage(() => sessionStorage.removeItem(MOVED_CARD))
    if (moved) document.querySelector(`[data-card="${CSS.escape(moved)}"] h3 a`)?.focus()
  }

  // One box chooses all rows of a list, a line says how many are chosen, and the buttons work when one is. The list may be replaced while its filters are typed.
  const boxesOf = ({ id }) => [...document.querySelectorAll(`tbody input[type=checkbox][form="${id}"]`)]
  const countChosen = () => {
    const bulk = document.querySelector('form[data-bulk]')
    if (!bulk) return
    const boxes = boxesOf(bulk)
    const chosen = boxes.filter(({ checked }) => checked).length
    const all = bulk.querySelector('[data-pick-all]')
    all.parentElement.hidden = false
    all.checked = chosen > 0 && chosen === boxes.length
    all.indeterminate = chosen > 0 && chosen < boxes.length
    bulk.querySelector('[data-chosen]').textContent =
      chosen > 0 ? `${chosen} of ${boxes.length} chosen` : `Choose all ${boxes.length}`
    for (const button of bulk.querySelectorAll('button')) button.disabled = chosen === 0
  }
  document.addEventListener('change', ({ target }) => {
    if (target.matches('[data-pick-all]')) for (const box of boxesOf(target.form)) box.checked = target.checked
    if (target.type === 'checkbox') countChosen()
  })
  document.addEventListener('htmx:after:swap', countChosen)
  // After going back, browsers keep what was chosen.
  countChosen()

  // The list of keys opens above the page.
  const toggleHelp = () => document.querySelector('#keys')?.togglePopover()

  // In the table of submissions j and k move from row to row, x chooses the row, and the key on the button of the row presses it.
  const actOnRow = (key) => {
    const rows = [...document.querySelectorAll('.queue tbody tr')]
    const at = rows.findIndex((row) => row.matches(':focus-within'))
    if (key === 'j' || key === 'k') {
      rows[Math.max(0, Math.min(rows.length - 1, key === 'j' ? at + 1 : at - 1))]?.querySelector('th a').focus()
      return rows.length > 0
    }
    if (at === -1) return false
    const hint = [...rows[at].querySelectorAll('.actions .key')].find(({ textContent }) => textContent === key)
    const control = key === 'x' ? rows[at].querySelector('input') : hint?.closest('a, button')
    control?.click()
    return Boolean(control)
  }

  // A key follows the link that names it, or focuses the button or the field. The bench has keys of its own.
  const bench = document.querySelector('[data-bench]')
  const pressable = (key) => document.querySelector(`[data-press="${CSS.escape(key)}"]`)
  if (!bench && document.querySelector('[data-press]'))
    document.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      const field =
        event.target instanceof Element && event.target.closest('input:not([type=checkbox]), textarea, select')
      if (field && event.key === 'Escape') return field.blur()
      if (areKeysOff || field) return
      const named = pressable(event.key)
      if (!named && event.key !== '?') return actOnRow(event.key) && event.preventDefault()
      event.preventDefault()
      if (named?.matches('a')) named.click()
      else if (named) (named.matches('button') ? named : named.querySelector('select, textarea, input'))?.focus()
      else toggleHelp()
    })

  if (!bench) return
  const path = bench.dataset.bench
  // The kit is the part of the bench with the texts and the form for the current directory.
  const kit = () => document.querySelector('#kit')
  const links = () => [...bench.querySelectorAll('.bench-rows a')]
  const shownLinks = () => links().filter((link) => !link.parentElement.hidden)
  const nameOf = (link) => (link.querySelector('bdi') ?? link.firstChild).textContent
  const slugOf = (link) => new URL(link.href).searchParams.get('directory')
  const stateOf = (link) => link.querySelector('i')?.textContent ?? 'open'
  const isToDo = (link) => ['open', 'planned', 'due'].includes(stateOf(link))
  const currentSlug = () => kit()?.dataset.slug
  const listingField = () => kit()?.querySelector('input[name=listingUrl]')
  const fileField = () => kit()?.querySelector('input[type=file]')

  const warn = (text) => {
    const line = kit()?.querySelector('[data-line]')
    if (!line) return
    line.textContent = text
    line.classList.add('warning')
    line.classList.remove('visually-hidden')
  }

  const setState = (link, state) => {
    if (stateOf(link) === state) return
    link.querySelector('i')?.remove()
    if (state === 'open') return
    const word = document.createElement('i')
    word.textContent = state
    link.append(' ', word)
  }

  const markCurrent = () => {
    for (const link of links()) {
      const isCurrent = slugOf(link) === currentSlug()
      if (isCurrent) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
      if (!isCurrent) continue
      // Only the list scrolls, never the page.
      const list = link.closest('ol')
      const above = link.offsetTop
      if (above < list.scrollTop || above + link.offsetHeight > list.scrollTop + list.clientHeight)
        list.scrollTop = above - list.clientHeight / 3
    }
  }

  // The slug of the next directory with work in the list as it is shown now, after the current one or else from the beginning.
  const nextSlug = () => {
    const shown = shownLinks()
    const at = shown.findIndex((link) => slugOf(link) === currentSlug())
    const next = [...shown.slice(at + 1), ...shown.slice(0, Math.max(at, 0))].find(isToDo)
    return next ? slugOf(next) : ''
  }

  // What the operator typed for each directory, kept while the page is open, also if it was typed while a request was running.
  const drafts = new Map()
  const keepDraft = () => {
    const field = listingField()
    if (field && field.value !== field.defaultValue) drafts.set(currentSlug(), field.value)
    else drafts.delete(currentSlug())
  }

  const show = (text) => {
    const parts = new DOMParser().parseFromString(text, 'text/html')
    if (!parts.querySelector('#kit')) return false
    keepDraft()
    for (const id of ['kit', 'bench-head', 'work-progress']) {
      const [before, after] = [document.getElementById(id), parts.getElementById(id)]
      if (before && after) before.replaceWith(after)
    }
    for (const button of kit().querySelectorAll('[data-copy]')) button.hidden = false
    const { last, lastState, slug, state } = kit().dataset
    for (const link of links()) {
      if (slugOf(link) === slug) setState(link, state)
      else if (last && slugOf(link) === last) setState(link, lastState)
    }
    markCurrent()
    drafts.delete(last)
    if (drafts.has(slug) && listingField()?.value === '') listingField().value = drafts.get(slug)
    const address = new URL(location.href)
    for (const name of ['last', 'did']) address.searchParams.delete(name)
    if (slug) address.searchParams.set('directory', slug)
    address.hash = ''
    history.replaceState(history.state, '', address)
    const field = kit().querySelector('[aria-invalid]') ?? listingField()
    field?.focus({ preventScroll: true })
    return true
  }

  let currentRequest
  const load = async (address, options = {}) => {
    currentRequest?.abort()
    currentRequest = new AbortController()
    const { signal } = currentRequest
    try {
      const answer = await fetch(address, {
        ...options,
        signal,
        headers: { 'hx-request': 'true', accept: 'text/html' },
      })
      if (answer.redirected) return warn('You are signed out. Sign in again in another tab, then load this page again.')
      if (!show(await answer.text())) warn('That did not work just now. What you typed is still here; try again.')
    } catch (error) {
      if (error.name !== 'AbortError') warn('That did not work just now. What you typed is still here; try again.')
    }
  }

  let isSending = false
  // Opening another directory would abort the request that records this one.
  const open = (link) => link && !isSending && load(link.href)
  const move = (step) => {
    const shown = shownLinks()
    const at = shown.findIndex((link) => slugOf(link) === currentSlug())
    open(shown[Math.min(shown.length - 1, Math.max(0, at + step))])
  }

  bench.addEventListener('click', (event) => {
    const link = event.target instanceof Element && event.target.closest('.bench-rows a')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    open(link)
  })

  bench.addEventListener('submit', async (event) => {
    const form = event.target
    if (!form.matches('[data-bench-form]')) return
    event.preventDefault()
    // A second Enter while the first request is running would record the next directory.
    if (isSending) return
    isSending = true
    const data = new FormData(form, event.submitter)
    if (data.has('next')) data.set('next', nextSlug())
    const body = form.enctype === 'multipart/form-data' ? data : new URLSearchParams(data)
    await load(form.action, { method: 'POST', body })
    isSending = false
  })

  // A picture of the kit that is dragged out of the browser becomes a file with the name of its product.
  bench.addEventListener('dragstart', ({ target, dataTransfer }) => {
    const link = target instanceof Element && target.closest('.bench-pictures a[download]')
    if (!link) return
    const type = `image/${link.pathname.split('.').at(-1).replace('jpg', 'jpeg')}`
    dataTransfer.setData('DownloadURL', `${type}:${link.download}:${link.href}`)
  })

  // A picture that is dropped on the kit becomes the proof.
  for (const type of ['dragover', 'drop'])
    bench.addEventListener(type, (event) => {
      const field = fileField()
      if (!field || !event.dataTransfer?.types.includes('Files') || !kit().contains(event.target)) return
      event.preventDefault()
      if (type === 'drop' && event.dataTransfer.files.length === 1) field.files = event.dataTransfer.files
    })

  const filter = bench.querySelector('[data-bench-filter]')
  const filterList = () => {
    const words = filter.elements.q.value.trim().toLowerCase()
    for (const link of links()) link.parentElement.hidden = words !== '' && !nameOf(link).toLowerCase().includes(words)
  }
  filter.addEventListener('input', filterList)
  filter.addEventListener('change', ({ target }) => {
    if (target.name !== 'show') return
    if (filter.elements.directory) filter.elements.directory.value = currentSlug()
    filter.requestSubmit()
  })
  filter.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    const [first] = shownLinks()
    open(first)
  })

  const skip = () => {
    const box = kit()?.querySelector('.bench-skip')
    if (!box) return
    box.open = true
    box.querySelector('input[name=reason]').focus()
  }
  // Each reason has its key in brackets at the end of its label.
  const reasonOf = (key) => {
    const options = kit()?.querySelector('select[name=reason]')?.options ?? []
    const option = [...options].find(({ text }) => text.endsWith(`(${key})`))
    if (!option) return null
    return () => {
      option.selected = true
      kit().querySelector('[data-line]').textContent = `Waits for: ${option.text}`
    }
  }
  const copy = (number) => kit()?.querySelectorAll('[data-copy]')[number - 1]?.click()
  const KEYS = {
    j: () => move(1),
    k: () => move(-1),
    o: () => kit()?.querySelector('[data-open] a')?.click(),
    s: skip,
    u: () => kit()?.querySelector('[data-bench-undo]')?.requestSubmit(),
    '/': () => filter.elements.q.focus(),
    '?': toggleHelp,
  }

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    const field = event.target instanceof Element && event.target.closest('input, textarea, select')
    if (field && event.key === 'Escape') {
      if (field === listingField()) field.blur()
      else listingField()?.focus()
      return
    }
    if (areKeysOff) return
    // A listing address begins with http, so these keys work in its empty field, too.
    if (field && field.type !== 'file' && !(field === listingField() && field.value === '')) return
    const act = KEYS[event.key] ?? (/^[1-9]$/.test(event.key) ? () => copy(Number(event.key)) : reasonOf(event.key))
    if (!act) return
    event.preventDefault()
    act()
  })

  // The rest shows what other administrators record for this submission. A page in the background sends no requests.
  const addRow = (slug, name) => {
    const list = bench.querySelector('.bench-rows')
    if (!list) return
    const query = new URLSearchParams({ directory: slug })
    for (const filter of ['show', 'q']) {
      const value = new URL(location.href).searchParams.get(filter)
      if (value) query.set(filter, value)
    }
    const [row, link, text] = ['li', 'a', 'bdi'].map((tag) => document.createElement(tag))
    text.textContent = name
    link.href = `?${query}`
    link.append(text)
    row.append(link)
    list.append(row)
    filterList()
  }

  let knownStamp = ''
  let knownStates = new Map()
  const loadRecords = async () => {
    if (document.hidden) return
    try {
      const answer = await fetch(`${path}/records?known=${knownStamp}`)
      if (answer.status !== 200 || answer.redirected) return
      const { stamp, enteredCount, rows, names } = await answer.json()
      const isFirst = knownStamp === ''
      knownStamp = stamp
      const states = new Map(Object.entries(rows))
      // A directory outside of the plan that another administrator has just recorded is not in the list yet.
      const listed = new Set(links().map(slugOf))
      for (const [slug, state] of states)
        if (!isFirst && !knownStates.has(slug) && !listed.has(slug) && state !== 'skipped') addRow(slug, names[slug])
      knownStates = states
      for (const link of links()) {
        const slug = slugOf(link)
        const state = states.get(slug) ?? 'open'
        if (
          !isFirst &&
          slug === currentSlug() &&
          state !== stateOf(link) &&
          state === 'entered' &&
          stateOf(link) !== 'due' &&
          !isSending
        )
          warn('Another administrator has just recorded this directory.')
        setState(link, state)
      }
      const bar = document.querySelector('#work-progress')
      const figure = bar?.querySelector('.figure')
      if (figure) figure.textContent = figure.textContent.replace(/^\d+/, enteredCount)
      const progress = bar?.querySelector('progress')
      if (progress) progress.value = enteredCount
    } catch {}
  }
  setInterval(loadRecords, 4000)
  document.addEventListener('visibilitychange', loadRecords)

  markCurrent()
  // On a phone the keyboard would cover the page.
  if (matchMedia('(pointer: fine)').matches) listingField()?.focus({ preventScroll: true })
})()
