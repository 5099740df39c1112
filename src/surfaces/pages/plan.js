// The checklist of a launch plan. The page works without this script: the ticks are then in its address.
;(() => {
  // The browser stores the ticks of a checklist, so that they survive a reload. Stored ticks override those in the address.
  for (const list of document.querySelectorAll('form[data-checklist]')) {
    const nextStep = list.querySelector('[data-next]')
    const boxes = [...list.querySelectorAll('input[type=checkbox]')]
    const showCount = () => {
      const shown = list.querySelector('[data-ticked]')
      if (shown) {
        shown.textContent = boxes.filter((box) => box.checked).length
        list.querySelector('progress').value = shown.textContent
      }
      const next = boxes.find((box) => !box.checked)?.closest('li')
      for (const box of boxes) box.closest('li').classList.toggle('is-next', box.closest('li') === next)
      if (!nextStep) return
      nextStep.hidden = !next
      if (!next) return
      const [name, link] = [next.querySelector('h3 a'), nextStep.querySelector('a')]
      link.href = name.href
      link.textContent = name.textContent
      nextStep.querySelector('b').textContent = next.querySelector('time').textContent
    }
    // Browsers may forbid the storage; the ticks are then kept only in the address.
    const storedTicks = () => {
      try {
        return new Map(Object.entries(JSON.parse(localStorage.getItem(list.dataset.checklist)) ?? {}))
      } catch {
        return new Map()
      }
    }
    const ticks = storedTicks()
    for (const box of boxes) if (ticks.has(box.value)) box.checked = ticks.get(box.value) === true
    showCount()
    list.addEventListener('change', ({ target }) => {
      if (!boxes.includes(target)) return
      showCount()
      try {
        const ticked = storedTicks().set(target.value, target.checked)
        localStorage.setItem(list.dataset.checklist, JSON.stringify(Object.fromEntries(ticked)))
      } catch {}
    })

    const progress = () => {
      const values = new FormData(list)
      const done = values.getAll('done[]').concat(values.get('done') ?? [])
      values.delete('done[]')
      values.set('done', done.join(','))
      return String(new URLSearchParams(values))
    }
    list.querySelector('[href*="?plan="]').addEventListener('click', ({ currentTarget }) => {
      currentTarget.search = new URLSearchParams({ plan: progress() })
    })

    // Without this script, the button opens the page with the ticks in its address.
    list.addEventListener('submit', async (event) => {
      event.preventDefault()
      const address = `${location.origin}${location.pathname}?${progress()}`
      const word = event.submitter.lastChild
      const label = word.data
      try {
        await navigator.clipboard.writeText(address)
        word.data = 'Copied'
        setTimeout(() => {
          word.data = label
        }, 2000)
      } catch {
        // Browsers offer no clipboard without https.
        location.href = address
      }
    })
  }

  for (const button of document.querySelectorAll('[data-print]')) {
    button.hidden = false
    button.addEventListener('click', () => print())
  }
})()
