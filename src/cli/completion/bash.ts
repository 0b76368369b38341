import type { CompletionNode } from './tree.ts';

/** A bash completion script; needs no bash-completion package. */
export function bashScript(nodes: readonly CompletionNode[]): string {
  const words = nodes
    .filter((node) => node.words.length > 0)
    .map((node) => `    ${quote(node.path)}) echo ${quote(node.words.map((each) => each.word).join(' '))} ;;`);
  const flags = nodes.map(
    (node) =>
      `    ${quote(node.path)}) echo ${quote(node.flags.flatMap((each) => [each.flag, ...(each.short ? [each.short] : [])]).join(' '))} ;;`,
  );
  const choices = nodes.flatMap((node) =>
    node.flags
      .filter((each) => each.takesValue)
      .map(
        (each) =>
          `    ${[each.flag, ...(each.short ? [each.short] : [])].map((name) => quote(`${node.path}|${name}`)).join(' | ')}) echo ${quote(each.choices.join(' ') || '-')} ;;`,
      ),
  );
  return `# bash completion for berth. Made by \`berth completion bash\`.
_berth_words() {
  case "$1" in
${words.join('\n')}
  esac
}
_berth_flags() {
  case "$1" in
${flags.join('\n')}
  esac
}
# What a flag's value may be: the choices, "-" for any value, nothing where the flag takes none.
_berth_values() {
  case "$1" in
${choices.join('\n')}
  esac
}
_berth() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" at="" word values i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case " $(_berth_words "$at") " in
      *" $word "*) at="\${at:+$at }$word" ;;
    esac
  done
  values="$(_berth_values "$at|$previous")"
  COMPREPLY=()
  if [ "$values" = "-" ]; then
    compopt -o default 2>/dev/null
  elif [ -n "$values" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
  elif [ "\${current#-}" != "$current" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_berth_flags "$at")" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$(_berth_words "$at")" -- "$current")
  fi
}
complete -F _berth berth
`;
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
