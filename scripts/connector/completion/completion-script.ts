import type { Command } from 'commander';

export type Shell = 'bash' | 'zsh' | 'fish';

/** What can follow a command (` dead-letters list`) or one of its options (` dead-letters list --kind`). */
type Choices = readonly (readonly [place: string, words: readonly string[]])[];

/** A script for the shell, which needs neither Node nor the connector when a key is pressed. */
export function completionScript(program: Command, shell: Shell): string {
  const choices = choicesOf(program, '');
  if (shell === 'fish') return fishScript(choices);
  return shell === 'zsh' ? `${ZSH_USES_BASH}\n${bashScript(choices)}` : bashScript(choices);
}

function choicesOf(command: Command, place: string, common: readonly string[] = []): Choices {
  const { options, commands, registeredArguments } = command;
  const names = [...options.map(({ long }) => long ?? ''), ...common, '--help'];
  const words = [
    ...commands.map((child) => child.name()),
    ...registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    ...names,
  ];
  const inherited = names.filter((name) => name !== '--help' && name !== '--version');
  return [
    [place, words],
    ...options.flatMap(({ long, argChoices }) =>
      argChoices ? [[`${place} ${long}`, argChoices] as const] : [],
    ),
    ...commands.flatMap((child) => choicesOf(child, `${place} ${child.name()}`, inherited)),
  ];
}

/** zsh runs it with its own emulation of bash's completion, in which `path` and `words` are not free names. */
const ZSH_USES_BASH = 'autoload -U +X bashcompinit && bashcompinit';

function bashScript(choices: Choices): string {
  return `_loyalty_connector_choices() {
  case "$1" in
${choices.map(([place, words]) => `    '${place}') echo '${words.join(' ')}';;`).join('\n')}
  esac
}
_loyalty_connector() {
  local current="\${COMP_WORDS[COMP_CWORD]}" place='' first=1 index word list
  case "\${COMP_WORDS[0]}" in
    *npx) [ "\${COMP_WORDS[1]}" = loyalty-connector ] || return 0; first=2;;
  esac
  for ((index = first; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "$word" in
      -*) ;;
      *) [ -z "$(_loyalty_connector_choices "$place $word")" ] || place="$place $word";;
    esac
  done
  list="$(_loyalty_connector_choices "$place \${COMP_WORDS[COMP_CWORD-1]}")"
  [ -n "$list" ] || list="$(_loyalty_connector_choices "$place")"
  COMPREPLY=($(compgen -W "$list" -- "$current"))
}
complete -o default -F _loyalty_connector loyalty-connector npx`;
}

function fishScript(choices: Choices): string {
  return `function __loyalty_connector_choices
  switch "$argv[1]"
${choices.map(([place, words]) => `    case '${place}'\n      string split -- ' ' '${words.join(' ')}'`).join('\n')}
  end
end
function __loyalty_connector
  set -l given (commandline -opc)
  set -l place ''
  for word in $given
    string match -q -- '-*' $word; and continue
    set -l list (__loyalty_connector_choices "$place $word")
    test (count $list) -gt 0; and set place "$place $word"
  end
  set -l list (__loyalty_connector_choices "$place $given[-1]")
  test (count $list) -gt 0; or set list (__loyalty_connector_choices "$place")
  printf '%s\\n' $list
end
complete -c loyalty-connector -f -a '(__loyalty_connector)'
complete -c npx -n 'contains loyalty-connector (commandline -opc)' -f -a '(__loyalty_connector)'`;
}
