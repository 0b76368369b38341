import type { CompletionFlag, CompletionTree } from './tree.ts';

/** A bash completion script; needs no bash-completion package. */
export function bashScript({ nodes, globals }: CompletionTree): string {
  const words = nodes.filter((node) => node.words.length > 0);
  const flags = nodes.filter((node) => node.flags.length > 0);
  return `# bash completion for berth. Made by \`berth completion bash\`.
_berth_words() {
  case "$1" in
${words.map(({ path, words: next }) => `    ${quote(path)}) echo ${quote(next.map(({ word }) => word).join(' '))} ;;`).join('\n')}
  esac
}
_berth_flags() {
  echo ${quote(names(globals))}
  case "$1" in
${flags.map(({ path, flags: own }) => `    ${quote(path)}) echo ${quote(names(own))} ;;`).join('\n')}
  esac
}
# The values of a flag: its choices, "-" for any value, nothing where the flag takes none.
_berth_values() {
  case "$1" in
${flags.flatMap(({ path, flags: own }) => values(own, `${path}|`)).join('\n')}
  esac
  case "\${1##*|}" in
${values(globals, '').join('\n')}
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

const both = ({ flag, short }: CompletionFlag): readonly string[] => (short === undefined ? [flag] : [flag, short]);

const names = (flags: readonly CompletionFlag[]): string => flags.flatMap(both).join(' ');

const values = (flags: readonly CompletionFlag[], before: string): readonly string[] =>
  flags
    .filter(({ takesValue }) => takesValue)
    .map(
      (each) =>
        `    ${both(each)
          .map((name) => quote(before + name))
          .join(' | ')}) echo ${quote(each.choices.join(' ') || '-')}; return ;;`,
    );

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
