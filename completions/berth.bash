# bash completion for berth. Made by `berth completion bash`.
_berth() {
  local kind='' line
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$kind" ]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <(command berth __complete bash "$COMP_WORDBREAKS" "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  case $kind in
    paths)
      case "${#COMPREPLY[@]}${COMPREPLY[0]}" in
        1*[:/]) compopt -o nospace 2>/dev/null ;;
      esac
      ;;
    files)
      case $2 in
        @*)
          while IFS= read -r line; do
            if [ -d "$line" ]; then
              line=$line/
              compopt -o nospace 2>/dev/null
            fi
            COMPREPLY+=("@$(printf %q "$line")")
          done < <(compgen -f -- "${2#@}")
          ;;
        *) compopt -o default 2>/dev/null ;;
      esac
      ;;
    commands)
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
      ;;
  esac
}
complete -F _berth berth
