#compdef berth
# zsh completion for berth. Made by `berth completion zsh`.
_berth() {
  local line kind before value
  local -a lines values shown folders shownfolders layout
  local -i described=0 found=1
  lines=("${(@f)$(command berth __complete zsh "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  kind=${lines[1]%%$'\t'*}
  before=${lines[1]#*$'\t'}
  case $kind in
    files)
      if [[ -n $before ]]; then compset -P "${(b)before}"; fi
      _files
      return
      ;;
    commands) _command_names -e; return ;;
    words|paths) ;;
    *) return 1 ;;
  esac
  lines=("${(@)lines[2,-1]}")
  for line in "${(@)lines}"; do
    value=${line%%$'\t'*}
    if [[ -z $value ]]; then continue; fi
    if [[ $line == *$'\t'* ]]; then described=1 line="$value  -- ${line#*$'\t'}"; else line=$value; fi
    # No space is added after a path that goes on.
    if [[ $kind == paths && $value == *[:/] ]]; then folders+=("$value") shownfolders+=("$line"); else values+=("$value") shown+=("$line"); fi
  done
  if (( described )); then layout=(-l); fi
  compadd $layout -V berth -S '' -d shownfolders -- "${(@)folders}" && found=0
  compadd $layout -V berth -d shown -- "${(@)values}" && found=0
  return found
}
if [ "$funcstack[1]" = "_berth" ]; then _berth "$@"; else compdef _berth berth; fi
