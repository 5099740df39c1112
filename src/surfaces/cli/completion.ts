// `catalog completion`: prints a script that completes commands and options in a shell. It is made from the commands of the program.
import { Argument, type Command } from 'commander'
import { examples, say } from './kit/output.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('Print a script that completes commands and options in your shell.')
    .addArgument(new Argument('<shell>', 'The shell.').choices(SHELLS))
    .addHelpText('after', examples('completion bash > /etc/bash_completion.d/catalog', 'completion fish | source'))
    .action(async (shell: Shell) => {
      const { addGroupCommands } = await import('./groups.ts')
      addGroupCommands(program)
      say(SCRIPTS[shell](wordsOf(program)).trimEnd())
    })
}

/** The words that may follow each command, by the command's path ("" for the program itself). */
type Words = ReadonlyMap<string, readonly string[]>

function wordsOf(program: Command): Words {
  const words = new Map<string, string[]>()
  const options = (command: Command) => command.options.flatMap(({ long }) => long ?? [])
  const globalOptions = [...options(program).filter((name) => name !== '--version'), '--help']
  const add = (command: Command, path: string) => {
    const commands = command.commands.map((child) => child.name())
    words.set(path, [...commands, ...(path === '' ? ['--version'] : options(command)), ...globalOptions])
    for (const child of command.commands) add(child, path === '' ? child.name() : `${path} ${child.name()}`)
  }
  add(program, '')
  return words
}

/**
 * The branches of a shell's `case`, one for each path of commands such as `keys create`. The script completes by the longest path with
 * which the typed words begin. `branch` makes the text of one branch; `list` is the words that may follow the path.
 */
const cases = (words: Words, branch: (path: string, list: string) => string): string =>
  [...words].map(([path, list]) => branch(path, list.join(' '))).join('')

const bash = (words: Words): string => `_catalog() {
  local path='' word reply
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) continue ;; esac
    case "\${path:+$path }$word" in
${cases(words, (path) => (path === '' ? '' : `      '${path}') path='${path}' ;;\n`))}    esac
  done
  case "$path" in
${cases(words, (path, list) => `    '${path}') reply='${list}' ;;\n`)}  esac
  COMPREPLY=($(compgen -W "$reply" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _catalog catalog
`

const SCRIPTS: Record<Shell, (words: Words) => string> = {
  bash,
  zsh: (words) => `#compdef catalog
autoload -U +X bashcompinit && bashcompinit
${bash(words)}`,
  fish: (words) => `function __catalog_words
  set -l path ''
  for word in (commandline -opc)[2..]
    switch (string trim -- "$path $word")
${cases(words, (path) => (path === '' ? '' : `      case '${path}'\n        set path '${path}'\n`))}    end
  end
  switch "$path"
${cases(words, (path, list) => `    case '${path}'\n      string split ' ' -- '${list}'\n`)}  end
end
complete -c catalog -a '(__catalog_words)'
`,
}
