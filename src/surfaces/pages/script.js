// What plain links and forms cannot do. Every page works without it; nothing here runs text from the page.
;(() => {
  const on = (event, selector, act) =>
    document.addEventListener(event, (occurrence) => {
      const found = occurrence.target instanceof Element && occurrence.target.closest(selector)
      if (found) act(found, occurrence)
    })

  // Buttons that need a script are in the page, but hidden.
  const reveal = (root) => {
    for (const button of root.querySelectorAll('[data-copy], [data-dismiss]')) button.hidden = false
  }
  reveal(document)

  on('click', '[data-copy]', async (button) => {
    const source = button.closest('[data-copied]')?.querySelector('[data-source], code')
    if (!source) return
    // Only the word that is seen: what is copied stays named for those who do not see it.
    const word = button.firstChild
    try {
      await navigator.clipboard.writeText(source.textContent)
      word.data = 'Copied'
    } catch {
      // Without https there is no clipboard: select it, so that one key press copies it.
      getSelection()?.selectAllChildren(source)
      word.data = 'Selected'
    }
    setTimeout(() => {
      word.data = 'Copy'
    }, 2000)
  })

  on('click', '[data-dismiss]', (button) => button.closest('.flash')?.remove())

  on('submit', 'form[data-confirm]', (form, event) => {
    if (!confirm(form.dataset.confirm)) event.preventDefault()
  })

  // A file that is sent with its progress shown. The answer is the page that would have come without a script.
  on('submit', 'form[data-upload]', (form, event) => {
    event.preventDefault()
    const box = form.querySelector('[data-progress]')
    const bar = box.querySelector('progress')
    const line = box.querySelector('[role=status]')
    const buttons = form.querySelectorAll('button')
    const hold = (isHeld) => {
      for (const button of buttons) button.disabled = isHeld
      box.hidden = !isHeld
    }
    const request = new XMLHttpRequest()
    request.open('POST', form.action)
    request.setRequestHeader('accept', 'text/html')
    request.upload.addEventListener('progress', ({ loaded, total, lengthComputable }) => {
      if (!lengthComputable) return
      bar.max = total
      bar.value = loaded
      line.textContent = `Sending: ${Math.floor((loaded / total) * 100)} %`
    })
    request.upload.addEventListener('load', () => {
      bar.removeAttribute('value')
      line.textContent = 'Sent. Checking and saving…'
    })
    const brokeOff = () => {
      hold(false)
      box.hidden = false
      line.textContent = 'The connection broke off, and nothing was imported. Try again.'
    }
    request.addEventListener('error', brokeOff)
    request.addEventListener('load', () => {
      const page = new DOMParser().parseFromString(request.responseText, 'text/html')
      const content = document.querySelector('#content')
      const answer = page.querySelector('#content')
      // Not a page of ours: something between here and the service has answered.
      if (!answer) return brokeOff()
      content.replaceChildren(...answer.childNodes)
      document.title = page.title
      history.replaceState(history.state, '', request.responseURL)
      reveal(content)
      content.focus()
    })
    const data = new FormData(form)
    hold(true)
    line.textContent = 'Sending…'
    request.send(data)
  })

  // Nothing is asked of a video host until somebody wants to see the video.
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

  // Search as you type: a form with data-live, whose results stand in the element that it targets.
  const liveForm = (event) => event.target instanceof Element && event.target.closest('form[data-live]')
  const say = (form, text, isWarning = false) => {
    const line = form.querySelector('[data-line]')
    if (!line) return
    line.textContent = text
    line.classList.toggle('warning', isWarning)
    line.classList.toggle('away', !isWarning)
  }
  // A refused visitor is not asked to wait by more refusals.
  let quietUntil = 0

  document.addEventListener('htmx:config:request', (event) => {
    const form = liveForm(event)
    if (!form) return
    const body = event.detail.ctx.request.body
    const typed = String(body.get('q') ?? '').trim()
    for (const [name, value] of [...body]) if (value === '') body.delete(name)
    if (typed.length === 1 || Date.now() < quietUntil) event.preventDefault()
    // On the home page there is nothing to show for nothing.
    else if (typed === '' && form.dataset.live === 'words') {
      event.preventDefault()
      document.querySelector('#results')?.replaceChildren()
      say(form, '')
    }
  })

  document.addEventListener('htmx:response:error', (event) => {
    const form = liveForm(event)
    if (!form) return
    const { status, headers } = event.detail.ctx.response
    if (status === 429) {
      const seconds = Math.max(1, Number(headers.get('retry-after')) || 60)
      quietUntil = Date.now() + seconds * 1000
      const wait = seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
      say(form, `That was a lot of searching. Please wait ${wait}, then go on typing.`, true)
    } else say(form, 'The search did not work just now. Press Search to try again.', true)
  })

  document.addEventListener('htmx:error', (event) => {
    const form = liveForm(event)
    if (form && event.detail.error?.name !== 'AbortError')
      say(form, 'The search did not work just now. Press Search to try again.', true)
  })

  document.addEventListener('htmx:after:swap', (event) => {
    reveal(document)
    const { sourceElement: form, response, request } = event.detail.ctx ?? {}
    // A refusal is no swap, but it is told as one.
    if (!form?.matches?.('form[data-live]') || !(response?.status < 400)) return
    say(form, document.querySelector('#results [data-count]')?.dataset.count ?? '')
    // So that the address can be kept and sent on; not from the home page, which stays what it is.
    if (form.dataset.live === 'page') history.replaceState(history.state, '', request.action)
  })

  // A form that is sent without leaving the page: its row comes back, and the next one is up.
  const stayForm = (event) => event.target instanceof Element && event.target.closest('form[data-stay]')

  document.addEventListener('htmx:before:swap', (event) => {
    const form = stayForm(event)
    // The session has ended: what was typed stays where it is.
    if (!form || !event.detail.ctx.response?.raw.redirected) return
    event.preventDefault()
    say(form, 'You are signed out. Sign in again in another tab, then load this page again.', true)
  })

  document.addEventListener('htmx:after:swap', (event) => {
    const row = event.detail.ctx?.target
    if (!row?.matches?.('[data-rows] > li')) return
    const wrong = row.querySelector('.error')
    if (wrong) row.querySelector('[aria-invalid]')?.focus()
    // On to the next that is not done yet.
    else {
      let next = row.nextElementSibling
      while (next?.querySelector('.done')) next = next.nextElementSibling
      ;(next?.querySelector('[data-open] a') ?? row.querySelector('summary'))?.focus()
    }
  })

  const refused = (event) => {
    const form = stayForm(event)
    if (form) say(form, 'That did not work just now. What you typed is still here; try again.', true)
  }
  document.addEventListener('htmx:response:error', refused)
  document.addEventListener('htmx:error', refused)

  // A screenshot that is pasted into such a form is the file of it.
  on('paste', 'form[data-stay]', (form, event) => {
    const files = event.clipboardData?.files
    const field = form.querySelector('input[type=file]')
    if (!field || files?.length !== 1 || !files[0].type.startsWith('image/')) return
    event.preventDefault()
    field.files = files
  })

  // Text that a button puts into a field of its form, where the cursor is.
  on('click', 'button[data-insert]', (button, event) => {
    const text = document.getElementById(button.dataset.insert)?.textContent
    const field = button.form?.querySelector('textarea')
    if (!text || !field) return
    event.preventDefault()
    const before = field.value.slice(0, field.selectionStart).trimEnd()
    const after = field.value.slice(field.selectionEnd).trimStart()
    field.value = [before, text, after].filter(Boolean).join('\n\n')
    field.focus()
  })
})()
