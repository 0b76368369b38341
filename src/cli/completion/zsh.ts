import type { CompletionNode } from './tree.ts';

/** A zsh completion script, for a file named _berth on fpath or for sourcing. */
export function zshScript(nodes: readonly CompletionNode[]): string {
  const words = nodes
    .filter((node) => node.words.length > 0)
    .map(
      (node) =>
        `    ${quote(node.path)}) reply=(${node.words.map((each) => described(each.word, each.summary)).join(' ')}) ;;`,
    );
  const flags = nodes.map(
    (node) =>
      `    ${quote(node.path)}) reply=(${node.flags.map((each) => described(each.flag, each.summary)).join(' ')}) ;;`,
  );
  const values = nodes.flatMap((node) =>
    node.flags
      .filter((each) => each.takesValue)
      .map(
        (each) =>
          `    ${[each.flag, ...(each.short ? [each.short] : [])].map((name) => quote(`${node.path}|${name}`)).join('|')}) reply=(${each.choices.length > 0 ? each.choices.map(quote).join(' ') : '-'}) ;;`,
      ),
  );
  return `#compdef berth
# zsh completion for berth. Made by \`berth completion zsh\`.
_berth_words() {
  reply=()
  case "$1" in
${words.join('\n')}
  esac
}
_berth_flags() {
  reply=()
  case "$1" in
${flags.join('\n')}
  esac
}
_berth_values() {
  reply=()
  case "$1" in
${values.join('\n')}
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

const described = (word: string, summary: string): string => quote(`${word.replaceAll(':', '\\:')}:${summary}`);

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
