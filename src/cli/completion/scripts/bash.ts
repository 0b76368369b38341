/** The completion script for bash, from 3.2 on; needs no bash-completion package. */
export const BASH_SCRIPT = `# bash completion for berth. Made by \`berth completion bash\`.
_berth() {
  local kind='' line
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$kind" ]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <(command berth __complete bash "$COMP_WORDBREAKS" "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  case $kind in
    files) compopt -o default 2>/dev/null ;;
    commands)
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -c -- "\${COMP_WORDS[COMP_CWORD]}")
      ;;
  esac
}
complete -F _berth berth
`;
