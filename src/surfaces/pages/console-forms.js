// Forms of the console: uploads with progress, rows that are saved without leaving the page, pasted pictures and inserted texts. Every form
// works without this script.
;(() => {
  const on = (type, selector, act) =>
    document.addEventListener(type, (event) => {
      const found = event.target instanceof Element && event.target.closest(selector)
      if (found) act(found, event)
    })
  const showWarning = (form, text) => {
    const line = form.querySelector('[data-line]')
    if (!line) return
    line.textContent = text
    line.classList.add('warning')
    line.classList.remove('visually-hidden')
  }

  // Sends a file and shows the progress. The answer is the same page that the form gets without a script.
  on('submit', 'form[data-upload]', (form, event) => {
    event.preventDefault()
    const box = form.querySelector('[data-progress]')
    const bar = box.querySelector('progress')
    const line = box.querySelector('[role=status]')
    const buttons = form.querySelectorAll('button')
    const setSending = (isSending) => {
      for (const button of buttons) button.disabled = isSending
      box.hidden = !isSending
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
    const showDisconnected = () => {
      setSending(false)
      box.hidden = false
      line.textContent = 'The connection broke off, and nothing was imported. Try again.'
    }
    request.addEventListener('error', showDisconnected)
    request.addEventListener('load', () => {
      const page = new DOMParser().parseFromString(request.responseText, 'text/html')
      const content = document.querySelector('#content')
      const answer = page.querySelector('#content')
      // The answer is not one of our pages: a proxy between the browser and the service made it.
      if (!answer) return showDisconnected()
      content.replaceChildren(...answer.childNodes)
      document.title = page.title
      history.replaceState(history.state, '', request.responseURL)
      // The other script shows the buttons of the new content, as it does after a swap of htmx.
      document.dispatchEvent(new CustomEvent('htmx:after:swap', { detail: {} }))
      content.focus()
    })
    const data = new FormData(form)
    setSending(true)
    line.textContent = 'Sending…'
    request.send(data)
  })

  // A form with data-stay is sent without leaving the page: the answer replaces its row, and the focus moves to the next row.
  const inPlaceForm = (event) => event.target instanceof Element && event.target.closest('form[data-stay]')

  document.addEventListener('htmx:before:swap', (event) => {
    const form = inPlaceForm(event)
    // A redirect means that the session has ended. The form keeps what the user typed.
    if (!form || !event.detail.ctx.response?.raw.redirected) return
    event.preventDefault()
    showWarning(form, 'You are signed out. Sign in again in another tab, then load this page again.')
  })

  document.addEventListener('htmx:after:swap', (event) => {
    const row = event.detail.ctx?.target
    if (!row?.matches?.('[data-rows] > li')) return
    const wrong = row.querySelector('.error')
    if (wrong) row.querySelector('[aria-invalid]')?.focus()
    // Moves the focus to the next row that is not done yet.
    else {
      let next = row.nextElementSibling
      while (next?.querySelector('.done')) next = next.nextElementSibling
      ;(next?.querySelector('[data-open] a') ?? row.querySelector('summary'))?.focus()
    }
  })

  const showRefusal = (event) => {
    const form = inPlaceForm(event)
    if (form) showWarning(form, 'That did not work just now. What you typed is still here; try again.')
  }
  document.addEventListener('htmx:response:error', showRefusal)
  document.addEventListener('htmx:error', showRefusal)

  // A screenshot that the user pastes into a form with data-stay becomes its file.
  on('paste', 'form[data-stay]', (form, event) => {
    const files = event.clipboardData?.files
    const field = form.querySelector('input[type=file]')
    if (!field || files?.length !== 1 || !files[0].type.startsWith('image/')) return
    event.preventDefault()
    field.files = files
  })

  // Inserts the text of the element that data-insert names into the textarea of the form, at the cursor.
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
