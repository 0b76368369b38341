#compdef berth
# zsh completion for berth. Made by `berth completion zsh`.
_berth() {
  local line kind before value
  local -a lines values shown
  local -i width=0 described=0
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
    words) ;;
    *) return 1 ;;
  esac
  lines=("${(@)lines[2,-1]}")
  for line in "${(@)lines}"; do
    value=${line%%$'\t'*}
    if [[ -z $value ]]; then continue; fi
    values+=("$value")
    if (( ${(m)#value} > width )); then width=${(m)#value}; fi
    if [[ $line == *$'\t'* ]]; then described=1; fi
  done
  if (( described )); then
    for line in "${(@)lines}"; do
      value=${line%%$'\t'*}
      if [[ -z $value ]]; then continue; fi
      if [[ $line == *$'\t'* ]]; then value="${(mr:width:)value}  -- ${line#*$'\t'}"; fi
      shown+=("$value")
    done
    compadd -l -V berth -d shown -- "${(@)values}"
  else
    compadd -V berth -- "${(@)values}"
  fi
}
if [ "$funcstack[1]" = "_berth" ]; then _berth "$@"; else compdef _berth berth; fi
