# bash completion for berth. Made by `berth completion bash`.
_berth_words() {
  case "$1" in
    '') echo 'pods endpoints jobs queue health volumes registries catalog auth config limits doctor api local completion help' ;;
    'pods') echo 'list get' ;;
    'endpoints') echo 'list get' ;;
    'jobs') echo 'run status stream cancel retry wait' ;;
    'queue') echo 'purge' ;;
    'volumes') echo 'list get create update delete' ;;
    'registries') echo 'delegations' ;;
    'registries delegations') echo 'list revoke' ;;
    'catalog') echo 'gpus cpus datacenters' ;;
    'auth') echo 'login logout status list switch' ;;
    'config') echo 'list get set unset path' ;;
    'config get') echo 'base-url queue-url rest-url api-key-file profile local timeout retries output max-answer-bytes config-dir data-dir no-input no-color verbose' ;;
    'config set') echo 'base-url queue-url rest-url timeout retries output max-answer-bytes' ;;
    'config unset') echo 'base-url queue-url rest-url timeout retries output max-answer-bytes' ;;
    'api') echo 'GET POST PUT PATCH DELETE' ;;
    'local') echo 'serve exec status reset clock fault' ;;
    'local clock') echo 'show advance' ;;
    'local fault') echo 'add list clear' ;;
    'local fault add') echo 'rate-limit server-error latency drop accept-drop' ;;
    'completion') echo 'bash zsh fish powershell' ;;
  esac
}
_berth_flags() {
  echo '--output -o --json --fields --jq --help -h --base-url --queue-url --rest-url --profile --local --timeout --retries --no-input --no-color --verbose'
  case "$1" in
    'pods list') echo '--all -a' ;;
    'pods get') echo '--exit-status --watch -w --interval' ;;
    'jobs run') echo '--input --input-file --wait --stream --sync --sync-wait --wait-timeout --webhook --execution-timeout --ttl --low-priority --dry-run' ;;
    'jobs status') echo '--ttl --exit-status --watch -w --interval' ;;
    'jobs stream') echo '--wait-timeout' ;;
    'jobs cancel') echo '--dry-run --yes -y' ;;
    'jobs retry') echo '--wait --wait-timeout --dry-run' ;;
    'jobs wait') echo '--any --wait-timeout' ;;
    'queue purge') echo '--dry-run --yes -y' ;;
    'health') echo '--watch -w --interval' ;;
    'volumes create') echo '--name --size --data-center --type --dry-run' ;;
    'volumes update') echo '--name --size --set --file -f --dry-run' ;;
    'volumes delete') echo '--dry-run --yes -y' ;;
    'registries delegations revoke') echo '--dry-run --yes -y' ;;
    'catalog gpus') echo '--available --product --count --cloud --country --cuda --min-cuda' ;;
    'catalog cpus') echo '--available --product --vcpu' ;;
    'catalog datacenters') echo '--available' ;;
    'auth login') echo '--with-key' ;;
    'auth logout') echo '--forget' ;;
    'auth status') echo '--check' ;;
    'api') echo '--service --field -f --raw-field -F --input --header -H --dry-run' ;;
    'local serve') echo '--port --state --endpoint --quota --no-queue-limits' ;;
    'local exec') echo '--state --endpoint --quota --no-queue-limits' ;;
    'local reset') echo '--yes -y' ;;
    'local fault add') echo '--count --probability --match --status --latency --retry-after' ;;
    'completion') echo '--install' ;;
  esac
}
# What a flag's value may be: the choices, "-" for any value, nothing where the flag takes none.
_berth_values() {
  case "$1" in
    'pods get|--interval') echo '-'; return ;;
    'jobs run|--input') echo '-'; return ;;
    'jobs run|--input-file') echo '-'; return ;;
    'jobs run|--sync-wait') echo '-'; return ;;
    'jobs run|--wait-timeout') echo '-'; return ;;
    'jobs run|--webhook') echo '-'; return ;;
    'jobs run|--execution-timeout') echo '-'; return ;;
    'jobs run|--ttl') echo '-'; return ;;
    'jobs status|--ttl') echo '-'; return ;;
    'jobs status|--interval') echo '-'; return ;;
    'jobs stream|--wait-timeout') echo '-'; return ;;
    'jobs retry|--wait-timeout') echo '-'; return ;;
    'jobs wait|--wait-timeout') echo '-'; return ;;
    'health|--interval') echo '-'; return ;;
    'volumes create|--name') echo '-'; return ;;
    'volumes create|--size') echo '-'; return ;;
    'volumes create|--data-center') echo '-'; return ;;
    'volumes create|--type') echo 'STANDARD HIGH_PERFORMANCE'; return ;;
    'volumes update|--name') echo '-'; return ;;
    'volumes update|--size') echo '-'; return ;;
    'volumes update|--set') echo '-'; return ;;
    'volumes update|--file' | 'volumes update|-f') echo '-'; return ;;
    'catalog gpus|--product') echo 'POD CLUSTER SERVERLESS'; return ;;
    'catalog gpus|--count') echo '-'; return ;;
    'catalog gpus|--cloud') echo 'SECURE COMMUNITY'; return ;;
    'catalog gpus|--country') echo '-'; return ;;
    'catalog gpus|--cuda') echo '-'; return ;;
    'catalog gpus|--min-cuda') echo '-'; return ;;
    'catalog cpus|--product') echo 'POD SERVERLESS'; return ;;
    'catalog cpus|--vcpu') echo '-'; return ;;
    'api|--service') echo 'base queue rest'; return ;;
    'api|--field' | 'api|-f') echo '-'; return ;;
    'api|--raw-field' | 'api|-F') echo '-'; return ;;
    'api|--input') echo '-'; return ;;
    'api|--header' | 'api|-H') echo '-'; return ;;
    'local serve|--port') echo '-'; return ;;
    'local serve|--state') echo '-'; return ;;
    'local serve|--endpoint') echo '-'; return ;;
    'local serve|--quota') echo '-'; return ;;
    'local exec|--state') echo '-'; return ;;
    'local exec|--endpoint') echo '-'; return ;;
    'local exec|--quota') echo '-'; return ;;
    'local fault add|--count') echo '-'; return ;;
    'local fault add|--probability') echo '-'; return ;;
    'local fault add|--match') echo '-'; return ;;
    'local fault add|--status') echo '-'; return ;;
    'local fault add|--latency') echo '-'; return ;;
    'local fault add|--retry-after') echo '-'; return ;;
  esac
  case "${1##*|}" in
    '--output' | '-o') echo 'table wide json jsonl yaml csv id'; return ;;
    '--fields') echo '-'; return ;;
    '--jq') echo '-'; return ;;
    '--base-url') echo '-'; return ;;
    '--queue-url') echo '-'; return ;;
    '--rest-url') echo '-'; return ;;
    '--profile') echo '-'; return ;;
    '--timeout') echo '-'; return ;;
    '--retries') echo '-'; return ;;
  esac
}
_berth() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" at="" word values i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    case " $(_berth_words "$at") " in
      *" $word "*) at="${at:+$at }$word" ;;
    esac
  done
  values="$(_berth_values "$at|$previous")"
  COMPREPLY=()
  if [ "$values" = "-" ]; then
    compopt -o default 2>/dev/null
  elif [ -n "$values" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
  elif [ "${current#-}" != "$current" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_berth_flags "$at")" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$(_berth_words "$at")" -- "$current")
  fi
}
complete -F _berth berth
