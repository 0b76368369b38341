import type { CompletionFlag, CompletionTree } from './tree.ts';

/** A zsh completion script, for a file named _berth on fpath or for sourcing. */
export function zshScript({ nodes, globals }: CompletionTree): string {
  const words = nodes.filter((node) => node.words.length > 0);
  const flags = nodes.filter((node) => node.flags.length > 0);
  return `#compdef berth
# zsh completion for berth. Made by \`berth completion zsh\`.
_berth_words() {
  reply=()
  case "$1" in
${words.map(({ path, words: next }) => `    ${quote(path)}) reply=(${next.map(({ word, summary }) => described(word, summary)).join(' ')}) ;;`).join('\n')}
  esac
}
_berth_flags() {
  reply=(${globals.map(({ flag, summary }) => described(flag, summary)).join(' ')})
  case "$1" in
${flags.map(({ path, flags: own }) => `    ${quote(path)}) reply+=(${own.map(({ flag, summary }) => described(flag, summary)).join(' ')}) ;;`).join('\n')}
  esac
}
# The values of a flag: its choices, "-" for any value, nothing where the flag takes none.
_berth_values() {
  reply=()
  case "$1" in
${flags.flatMap(({ path, flags: own }) => values(own, `${path}|`)).join('\n')}
  esac
  case "\${1##*|}" in
${values(globals, '').join('\n')}
  esac
}
_berth() {
  local at="" word i
  local -a reply names
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    _berth_words "$at"
    names=("\${(@)reply%%:*}")
    if (( \${names[(Ie)$word]} )); then at="\${at:+$at }$word"; fi
  done
  _berth_values "$at|\${words[CURRENT-1]}"
  if [[ "\${reply[1]}" == "-" ]]; then _files
  elif (( \${#reply} )); then compadd -- $reply
  elif [[ "\${words[CURRENT]}" == -* ]]; then _berth_flags "$at"; _describe -o flag reply
  else _berth_words "$at"; _describe word reply
  fi
}
if [ "$funcstack[1]" = "_berth" ]; then _berth "$@"; else compdef _berth berth; fi
`;
}

const values = (flags: readonly CompletionFlag[], before: string): readonly string[] =>
  flags
    .filter(({ takesValue }) => takesValue)
    .map(({ flag, short, choices }) => {
      const pattern = (short === undefined ? [flag] : [flag, short]).map((name) => quote(before + name)).join('|');
      return `    ${pattern}) reply=(${choices.length > 0 ? choices.map(quote).join(' ') : '-'}); return ;;`;
    });

const described = (word: string, summary: string): string => quote(`${word.replaceAll(':', '\\:')}:${summary}`);

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
