// Adds what plain links and forms cannot do. Every page works without this script, and it never executes text from the page.
;(() => {
  const on = (type, selector, act) =>
    document.addEventListener(type, (event) => {
      const found = event.target instanceof Element && event.target.closest(selector)
      if (found) act(found, event)
    })

  // "/" leads to the search of the page, unless the visitor is typing.
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]')) return
    const field = [...document.querySelectorAll('[data-search]')].find((one) => one.offsetParent !== null)
    if (!field) return
    event.preventDefault()
    field.focus()
    field.select()
  })

  // The last box of a form shows all of its passwords.
  for (const form of document.forms) {
    const fields = form.querySelectorAll('[type=password]')
    const box = [...form.querySelectorAll('[data-show-password]')].at(-1)
    if (!box) continue
    const show = (isShown) => {
      for (const field of fields) field.type = isShown ? 'text' : 'password'
    }
    box.parentElement.hidden = false
    box.checked = false
    box.addEventListener('change', () => show(box.checked))
    // A browser offers to save passwords, and never other texts.
    form.addEventListener('submit', () => show(false))
  }

  // The server writes times in UTC; the browser knows the time zone of its user. The format stays: 2026-03-01 10:30 GMT+1.
  // The formats are made when a page shows a time, because making them delays the first paint on a slow phone by a tenth of a second.
  let formats
  const inOwnZone = (at) => {
    formats ??= {
      time: new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'short' }),
      zone: new Intl.DateTimeFormat('en', { timeZoneName: 'short' }),
    }
    const { value } = formats.zone.formatToParts(at).find(({ type }) => type === 'timeZoneName')
    return `${formats.time.format(at)} ${value}`
  }

  // Public pages are the same for every visitor, so this script shows who is signed in. It asks only if the browser has shown a page of a
  // signed-in user before. Without the script, the link "Sign in" still leads a signed-in user to the dashboard.
  const SIGNED_IN_KEY = 'signed-in'
  const withStorage = (use) => {
    try {
      return use(localStorage)
    } catch {
      // Browsers may refuse storage; then the page stays as it is.
      return null
    }
  }
  const showUser = ({ name, isAdministrator }) => {
    const links = [['/dashboard', 'Dashboard'], ...(isAdministrator ? [['/admin', 'Console']] : [])]
    for (const old of document.querySelectorAll('.head-end a[href="/sign-in"]')) {
      const item = old.closest('li')
      item.replaceWith(
        ...links.map(([href, label]) => {
          const made = item.cloneNode(true)
          const link = made.querySelector('a')
          link.href = href
          link.textContent = label
          return made
        }),
      )
    }
    const actions = document.querySelector('.tool-head [data-listing]')
    if (isAdministrator && actions) {
      const edit = document.createElement('a')
      edit.className = 'button plain'
      edit.href = `/admin${actions.dataset.listing}`
      edit.textContent = 'Edit'
      actions.prepend(edit)
    }
    for (const button of document.querySelectorAll('.head-end a.button')) {
      button.href = '/dashboard/account'
      button.classList.add('plain')
      // Of an e-mail address the part that says who it is, little wider than the button for signing out
      const [who] = /^[^@\s]+@[^@\s]+$/.test(name) ? name.split('@') : [name]
      button.textContent = who.length > 16 ? `${who.slice(0, 15)}…` : who
      button.title = name
    }
  }
  const head = document.querySelector('[data-account]')
  if (head?.dataset.account)
    withStorage((storage) => storage.getItem(SIGNED_IN_KEY) ?? storage.setItem(SIGNED_IN_KEY, '1'))
  else if (head && withStorage((storage) => storage.getItem(SIGNED_IN_KEY)))
    fetch('/signed-in')
      .then(async (answer) => {
        if (answer.status === 200) showUser(await answer.json())
        // The list of an account does not stay in the browser for the next one who signs in.
        else if (answer.status === 204)
          withStorage((storage) => {
            if (storage.getItem(SIGNED_IN_KEY) === 'joined') storage.removeItem('shortlist')
            storage.removeItem(SIGNED_IN_KEY)
          })
      })
      .catch(() => {})

  // Buttons that need this script are hidden in the HTML.
  const reveal = (root) => {
    for (const button of root.querySelectorAll('[data-copy], [data-dismiss]')) button.hidden = false
    for (const time of root.querySelectorAll('time[data-zoned]')) {
      time.textContent = inOwnZone(new Date(time.dateTime))
      time.removeAttribute('data-zoned')
    }
  }
  reveal(document)

  // A link to a closed part of the page opens it.
  const openTarget = () => {
    const target = document.getElementById(location.hash.slice(1))
    if (target instanceof HTMLDetailsElement) target.open = true
  }
  openTarget()
  addEventListener('hashchange', openTarget)

  on('click', '[data-copy]', async (button) => {
    const source = button.closest('[data-copied]')?.querySelector('[data-source], code')
    if (!source) return
    // Only the visible word changes; the hidden text still tells screen readers what the button copies.
    const word = button.firstChild
    const label = (button.dataset.copy ||= word.data)
    try {
      await navigator.clipboard.writeText(source.textContent)
      word.data = 'Copied'
    } catch {
      // Browsers offer no clipboard without https. The selected text can be copied with one key press.
      getSelection()?.selectAllChildren(source)
      word.data = 'Selected'
    }
    setTimeout(() => {
      word.data = label
    }, 2000)
  })

  on('click', '[data-dismiss]', (button) => button.closest('.flash')?.remove())

  on('submit', 'form[data-confirm]', (form, event) => {
    if (!confirm(form.dataset.confirm)) event.preventDefault()
  })

  // The answer contains a secret that is shown only once; a second click would replace it.
  on('submit', 'form[data-once]', (form) => {
    const setDisabled = (isDisabled) => {
      for (const button of form.querySelectorAll('button')) button.disabled = isDisabled
    }
    setDisabled(true)
    // Enabled again for a visitor who has stopped the request or comes back to this page.
    setTimeout(setDisabled, 10000, false)
  })

  // The browser contacts a video host only after the visitor clicks.
  on('click', 'a[data-embed]', (link, event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    const frame = document.createElement('iframe')
    frame.src = link.dataset.embed
    frame.title = link.dataset.title ?? 'Video'
    frame.allow = 'fullscreen; picture-in-picture'
    frame.referrerPolicy = 'strict-origin-when-cross-origin'
    link.closest('.video').replaceChildren(frame)
    frame.focus()
  })

  // The tray shows the logos of the chosen tools, and no more can be chosen than are compared.
  on('change', '.pick', (pick) => {
    const { form } = pick.control
    const tray = form.querySelector('.tray')
    const boxes = [...form.querySelectorAll('.pick input')]
    const chosen = boxes.filter((box) => box.checked)
    for (const box of boxes) box.disabled = !box.checked && chosen.length >= Number(tray.dataset.most)
    const logos = chosen.map((box) => box.closest('li').querySelector('.tile').cloneNode(true))
    tray.querySelector('.logos').replaceChildren(...logos)
  })

  // Search while typing: a form with data-live shows its results in the element that it targets.
  const liveForm = (event) => event.target instanceof Element && event.target.closest('form[data-live]')
  const showStatus = (form, text, isWarning = false) => {
    const line = form.querySelector('[data-line]')
    if (!line) return
    line.textContent = text
    line.classList.toggle('warning', isWarning)
    line.classList.toggle('visually-hidden', !isWarning)
  }
  // After a 429 no search is sent until the time in Retry-After has passed.
  let pausedUntil = 0

  document.addEventListener('htmx:config:request', (event) => {
    const form = liveForm(event)
    if (!form) return
    const body = event.detail.ctx.request.body
    const searchText = String(body.get('q') ?? '').trim()
    for (const [name, value] of [...body]) if (value === '') body.delete(name)
    if (searchText.length === 1 || Date.now() < pausedUntil) event.preventDefault()
    // The home page shows no results for an empty search.
    else if (searchText === '' && form.dataset.live === 'words') {
      event.preventDefault()
      document.querySelector('#results')?.replaceChildren()
      showStatus(form, '')
    }
  })

  document.addEventListener('htmx:response:error', (event) => {
    const form = liveForm(event)
    if (!form) return
    const { status, headers } = event.detail.ctx.response
    if (status === 429) {
      const seconds = Math.max(1, Number(headers.get('retry-after')) || 60)
      pausedUntil = Date.now() + seconds * 1000
      const wait = seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
      showStatus(form, `That was a lot of searching. Please wait ${wait}, then go on typing.`, true)
    } else showStatus(form, 'The search did not work just now. Press Search to try again.', true)
  })

  document.addEventListener('htmx:error', (event) => {
    const form = liveForm(event)
    if (form && event.detail.error?.name !== 'AbortError')
      showStatus(form, 'The search did not work just now. Press Search to try again.', true)
  })

  document.addEventListener('htmx:after:swap', (event) => {
    reveal(document)
    const { sourceElement: form, response, request } = event.detail.ctx ?? {}
    // htmx fires this event for a refused request too, although it swaps nothing then.
    if (!form?.matches?.('form[data-live]') || !(response?.status < 400)) return
    showStatus(form, document.querySelector('#results [data-count]')?.dataset.count ?? '')
    // The address then leads to these results, so that visitors can bookmark and share it. The home page keeps its own address.
    if (form.dataset.live === 'page' || form.getAttribute('action') === location.pathname)
      history.replaceState(history.state, '', request.action)
  })
})()
