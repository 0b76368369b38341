/** For bash from 3.2 on; needs no bash-completion package. */
export const BASH_SCRIPT = `# bash completion for berth. Made by \`berth completion bash\`.
_berth() {
  local kind='' line
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$kind" ]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <(command berth __complete bash "$COMP_WORDBREAKS" "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  case $kind in
    paths)
      case "\${#COMPREPLY[@]}\${COMPREPLY[0]}" in
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
          done < <(compgen -f -- "\${2#@}")
          ;;
        *) compopt -o default 2>/dev/null ;;
      esac
      ;;
    commands)
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -c -- "\${COMP_WORDS[COMP_CWORD]}")
      ;;
  esac
}
complete -F _berth berth
`;

/** For a file named _berth on fpath, or for sourcing. */
export const ZSH_SCRIPT = `#compdef berth
# zsh completion for berth. Made by \`berth completion zsh\`.
_berth() {
  local line kind before value
  local -a lines values shown folders shownfolders layout
  local -i described=0 found=1
  lines=("\${(@f)$(command berth __complete zsh "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  kind=\${lines[1]%%$'\\t'*}
  before=\${lines[1]#*$'\\t'}
  case $kind in
    files)
      if [[ -n $before ]]; then compset -P "\${(b)before}"; fi
      _files
      return
      ;;
    commands) _command_names -e; return ;;
    words|paths) ;;
    *) return 1 ;;
  esac
  lines=("\${(@)lines[2,-1]}")
  for line in "\${(@)lines}"; do
    value=\${line%%$'\\t'*}
    if [[ -z $value ]]; then continue; fi
    if [[ $line == *$'\\t'* ]]; then described=1 line="$value  -- \${line#*$'\\t'}"; else line=$value; fi
    # No space is added after a path that goes on.
    if [[ $kind == paths && $value == *[:/] ]]; then folders+=("$value") shownfolders+=("$line"); else values+=("$value") shown+=("$line"); fi
  done
  if (( described )); then layout=(-l); fi
  compadd $layout -V berth -S '' -d shownfolders -- "\${(@)folders}" && found=0
  compadd $layout -V berth -d shown -- "\${(@)values}" && found=0
  return found
}
if [ "$funcstack[1]" = "_berth" ]; then _berth "$@"; else compdef _berth berth; fi
`;

export const FISH_SCRIPT = `# fish completion for berth. Made by \`berth completion fish\`.
function __berth_complete
    set -l tokens (commandline -opc)
    set -e tokens[1]
    set -l current (commandline -ct)
    test -n "$current"; or set current ''
    # A word with an open quote stays as it is.
    set -l plain (string unescape -- "$current" 2>/dev/null)
    test -n "$plain"; or set plain $current
    set -l lines (command berth __complete fish $tokens "$plain" 2>/dev/null)
    set -l first (string split -m 1 \\t -- $lines[1])
    set -e lines[1]
    switch "$first[1]"
        case words paths
            for line in $lines
                printf '%s\\n' $line
            end
        case files
            set -l start (string length -- "$first[2]")
            for file in (__fish_complete_path (string sub -s (math $start + 1) -- "$current"))
                printf '%s\\n' "$first[2]$file"
            end
        case commands
            __fish_complete_command
    end
end
complete -c berth -f -k -a '(__berth_complete)'
`;

export const POWERSHELL_SCRIPT = `# PowerShell completion for berth. Made by \`berth completion powershell\`.
Register-ArgumentCompleter -Native -CommandName berth -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object {
      $_.Extent.EndOffset -lt $cursorPosition
    } | ForEach-Object {
      if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.ToString() }
    })
  $current = $wordToComplete.Trim([char[]]@("'", '"'))
  # The mark keeps an empty last word, which older versions drop.
  $lines = @(& (Get-Command berth -CommandType Application, ExternalScript -TotalCount 1) __complete powershell @words "=$current" 2>$null)
  if ($lines.Count -eq 0) { return '' }
  # Without results, PowerShell completes files.
  if ($lines[0] -notmatch '^(words|paths)') { return }
  $found = @($lines | Select-Object -Skip 1 | Where-Object { $_ } | ForEach-Object {
      $value, $description = $_ -split "\`t", 2
      if (-not $value.StartsWith($current, [System.StringComparison]::OrdinalIgnoreCase)) { return }
      $text = $value
      if ($text -match '[^\\w.:/=+-]') {
        $text = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($value) + "'"
      }
      if (-not $description) { $description = $value }
      [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $description)
    })
  if ($found.Count -eq 0) { return '' }
  $found
}
`;
