#compdef berth
# zsh completion for berth. Made by `berth completion zsh`.
_berth_words() {
  reply=()
  case "$1" in
    '') reply=('pods:GPU and CPU containers' 'endpoints:serverless endpoints' 'jobs:run, follow, cancel and retry jobs on an endpoint' 'queue:an endpoint'\''s waiting jobs' 'health:an endpoint'\''s jobs and workers at a glance' 'volumes:network volumes' 'registries:credentials and delegations for private images' 'catalog:what can be rented: GPUs, CPUs, data centers' 'auth:log in, log out, switch between profiles' 'config:settings, and where each value comes from' 'limits:what is left of each rate window' 'doctor:check addresses, key, clock, proxy and settings' 'api:call any operation of the service' 'local:the local service: serve it, move its clock, inject faults' 'completion:completion scripts for your shell' 'help:help on a command or a topic') ;;
    'pods') reply=('list:list pods' 'get:show a pod: its state, cost, hardware, live use, mounts and ports') ;;
    'endpoints') reply=('list:list endpoints' 'get:show an endpoint') ;;
    'jobs') reply=('run:submit a job and print its id, or wait for its result' 'status:show a job'\''s state and result' 'stream:print a job'\''s chunks as its handler produces them' 'cancel:cancel jobs, waiting or running' 'retry:run a failed or timed-out job again, under the same id' 'wait:wait until jobs end and print their results') ;;
    'queue') reply=('purge:remove every job that is waiting; jobs in progress go on') ;;
    'volumes') reply=('list:list network volumes' 'get:show a network volume' 'create:create a network volume' 'update:rename a network volume, or let it grow' 'delete:delete network volumes and the data on them') ;;
    'registries') reply=('delegations:delegations: access to a container registry without a password') ;;
    'registries delegations') reply=('list:list delegations' 'revoke:revoke a delegation; images behind it can no longer be pulled') ;;
    'catalog') reply=('gpus:list GPU types with their prices, or show one' 'cpus:list CPU flavors with their prices, or show one' 'datacenters:list data centers, or show one') ;;
    'auth') reply=('login:keep a key and addresses in a profile, and use it' 'logout:forget the profile'\''s key' 'status:show which key is used and where it comes from' 'list:list profiles' 'switch:use another profile from now on') ;;
    'config') reply=('list:list every setting, its value and where it comes from' 'get:print one value' 'set:keep a value in the profile in use' 'unset:forget a value of the profile in use' 'path:print where the profiles are kept') ;;
    'config get') reply=('base-url:setting' 'queue-url:setting' 'rest-url:setting' 'api-key-file:setting' 'profile:setting' 'local:setting' 'timeout:setting' 'retries:setting' 'output:setting' 'max-answer-bytes:setting' 'config-dir:setting' 'data-dir:setting' 'no-input:setting' 'no-color:setting' 'verbose:setting') ;;
    'config set') reply=('base-url:setting' 'queue-url:setting' 'rest-url:setting' 'timeout:setting' 'retries:setting' 'output:setting' 'max-answer-bytes:setting') ;;
    'config unset') reply=('base-url:setting' 'queue-url:setting' 'rest-url:setting' 'timeout:setting' 'retries:setting' 'output:setting' 'max-answer-bytes:setting') ;;
    'api') reply=('GET:GET, POST, PUT, PATCH or DELETE' 'POST:GET, POST, PUT, PATCH or DELETE' 'PUT:GET, POST, PUT, PATCH or DELETE' 'PATCH:GET, POST, PUT, PATCH or DELETE' 'DELETE:GET, POST, PUT, PATCH or DELETE') ;;
    'local') reply=('serve:serve the local service over HTTP, for SDKs, curl and other programs' 'exec:run a command against a local service of its own, then stop it' 'status:show what the local service holds, its time and its faults' 'reset:forget everything and start over with the seeded account' 'clock:the local service'\''s time: pods, jobs, retention and rate windows follow it' 'fault:inject faults: 429, 5xx, latency, dropped connections') ;;
    'local clock') reply=('show:show its time' 'advance:move it forward') ;;
    'local fault') reply=('add:let the next requests fail' 'list:list the faults that are set' 'clear:remove one fault, or all of them') ;;
    'local fault add') reply=('rate-limit:what happens' 'server-error:what happens' 'latency:what happens' 'drop:what happens' 'accept-drop:what happens') ;;
    'completion') reply=('bash:your shell' 'zsh:your shell' 'fish:your shell' 'powershell:your shell') ;;
  esac
}
_berth_flags() {
  reply=('--output:how to print data: table, wide, json, jsonl, yaml, csv, id' '--json:the same as -o json' '--fields:print these members only, in any format' '--jq:filter the JSON with a jq expression' '--help:show help for a command' '--base-url:address of the management API' '--queue-url:address of the queue API' '--rest-url:address of the older volume API' '--profile:the profile to use: a set of addresses and a key' '--local:use the local service in this process' '--timeout:time for one exchange with the service, its body included' '--retries:times a request is tried again where that is safe' '--no-input:never ask; a missing value is an error' '--no-color:no colour' '--verbose:print each request and answer on stderr, secrets redacted')
  case "$1" in
    'pods list') reply+=('--all:members of clusters too') ;;
    'pods get') reply+=('--exit-status:end 10 when the pod is in ERROR' '--watch:show it again and again until Ctrl-C' '--interval:time between two looks with --watch') ;;
    'jobs run') reply+=('--input:the input as JSON, @FILE, or - for stdin' '--input-file:read the input from a file; - is stdin' '--wait:poll until the job ends and print its result' '--stream:print chunks as the handler produces them' '--sync:submit with runsync: the answer carries the result' '--sync-wait:how long runsync holds the answer back, 1s to 300s (default 90s)' '--wait-timeout:how long --wait, --stream and --sync wait in all' '--webhook:address the result is posted to' '--execution-timeout:how long a worker may run it, 5s to 7d' '--ttl:how long the job may live, queue and run together, 10s to 7d' '--low-priority:let other jobs go first' '--dry-run:print the request as JSON and send nothing') ;;
    'jobs status') reply+=('--ttl:also set how long the job and its result live from now' '--exit-status:end with the outcome: 0 completed or not ended, 10 failed, 11 cancelled, 12 timed out' '--watch:show it again and again until Ctrl-C' '--interval:time between two looks with --watch') ;;
    'jobs stream') reply+=('--wait-timeout:how long to follow it') ;;
    'jobs cancel') reply+=('--dry-run:print the request as JSON and send nothing' '--yes:do not ask for confirmation') ;;
    'jobs retry') reply+=('--wait:wait until it ends and print its result' '--wait-timeout:how long --wait waits' '--dry-run:print the request as JSON and send nothing') ;;
    'jobs wait') reply+=('--any:stop at the first job that ends' '--wait-timeout:how long to wait') ;;
    'queue purge') reply+=('--dry-run:print the request as JSON and send nothing' '--yes:do not ask for confirmation') ;;
    'health') reply+=('--watch:show it again and again until Ctrl-C' '--interval:time between two looks with --watch') ;;
    'volumes create') reply+=('--name:what to call it' '--size:how large, in GB' '--data-center:where' '--type:the storage tier' '--dry-run:print the request as JSON and send nothing') ;;
    'volumes update') reply+=('--name:what to call it' '--size:the new size in GB' '--set:set any member of the body, such as gpu.count=2' '--file:read the body from YAML or JSON; - is stdin' '--dry-run:print the request as JSON and send nothing') ;;
    'volumes delete') reply+=('--dry-run:print the request as JSON and send nothing' '--yes:do not ask for confirmation') ;;
    'registries delegations revoke') reply+=('--dry-run:print the request as JSON and send nothing' '--yes:do not ask for confirmation') ;;
    'catalog gpus') reply+=('--available:ask what can be had now, and where' '--product:for these products (default POD)' '--count:GPUs in one pod' '--cloud:only this cloud' '--country:only in these countries, by two-letter code' '--cuda:with one of these CUDA versions' '--min-cuda:with this CUDA version or a newer one') ;;
    'catalog cpus') reply+=('--available:ask what can be had now, and where' '--product:for these products (default POD)' '--vcpu:vCPUs in one pod') ;;
    'catalog datacenters') reply+=('--available:ask what can be had now, and where') ;;
    'auth login') reply+=('--with-key:read the key from stdin') ;;
    'auth logout') reply+=('--forget:forget the whole profile, addresses too') ;;
    'auth status') reply+=('--check:ask the service whether the key is good') ;;
    'api') reply+=('--service:which address' '--field:NAME=VALUE; true, false, null, numbers and JSON are taken as such' '--raw-field:NAME=VALUE; the value is a string' '--input:the body: JSON, @FILE, or - for stdin' '--header:a header of the request' '--dry-run:print the request as JSON and send nothing') ;;
    'local serve') reply+=('--port:the port on 127.0.0.1; 0 takes a free one' '--state:keep the state in a file; without it nothing persists' '--endpoint:serve an endpoint with a handler module of your own' '--quota:requests a window, such as minute=60,hour=3000' '--no-queue-limits:no rate limits on the queue operations') ;;
    'local exec') reply+=('--state:keep the state in a file; without it nothing persists' '--endpoint:serve an endpoint with a handler module of your own' '--quota:requests a window, such as minute=60,hour=3000' '--no-queue-limits:no rate limits on the queue operations') ;;
    'local reset') reply+=('--yes:do not ask for confirmation') ;;
    'local fault add') reply+=('--count:how many requests it strikes (default: all until cleared)' '--probability:how often it strikes: above 0, up to 1' '--match:only these: a method, the beginning of a path, or both' '--status:the status of a server-error (default 503)' '--latency:how late a latency answers (default 1s)' '--retry-after:what a rate-limit asks to wait (default 1s)') ;;
    'completion') reply+=('--install:write it where the shell finds it') ;;
  esac
}
# What a flag's value may be: the choices, "-" for any value, nothing where the flag takes none.
_berth_values() {
  reply=()
  case "$1" in
    'pods get|--interval') reply=(-); return ;;
    'jobs run|--input') reply=(-); return ;;
    'jobs run|--input-file') reply=(-); return ;;
    'jobs run|--sync-wait') reply=(-); return ;;
    'jobs run|--wait-timeout') reply=(-); return ;;
    'jobs run|--webhook') reply=(-); return ;;
    'jobs run|--execution-timeout') reply=(-); return ;;
    'jobs run|--ttl') reply=(-); return ;;
    'jobs status|--ttl') reply=(-); return ;;
    'jobs status|--interval') reply=(-); return ;;
    'jobs stream|--wait-timeout') reply=(-); return ;;
    'jobs retry|--wait-timeout') reply=(-); return ;;
    'jobs wait|--wait-timeout') reply=(-); return ;;
    'health|--interval') reply=(-); return ;;
    'volumes create|--name') reply=(-); return ;;
    'volumes create|--size') reply=(-); return ;;
    'volumes create|--data-center') reply=(-); return ;;
    'volumes create|--type') reply=('STANDARD' 'HIGH_PERFORMANCE'); return ;;
    'volumes update|--name') reply=(-); return ;;
    'volumes update|--size') reply=(-); return ;;
    'volumes update|--set') reply=(-); return ;;
    'volumes update|--file'|'volumes update|-f') reply=(-); return ;;
    'catalog gpus|--product') reply=('POD' 'CLUSTER' 'SERVERLESS'); return ;;
    'catalog gpus|--count') reply=(-); return ;;
    'catalog gpus|--cloud') reply=('SECURE' 'COMMUNITY'); return ;;
    'catalog gpus|--country') reply=(-); return ;;
    'catalog gpus|--cuda') reply=(-); return ;;
    'catalog gpus|--min-cuda') reply=(-); return ;;
    'catalog cpus|--product') reply=('POD' 'SERVERLESS'); return ;;
    'catalog cpus|--vcpu') reply=(-); return ;;
    'api|--service') reply=('base' 'queue' 'rest'); return ;;
    'api|--field'|'api|-f') reply=(-); return ;;
    'api|--raw-field'|'api|-F') reply=(-); return ;;
    'api|--input') reply=(-); return ;;
    'api|--header'|'api|-H') reply=(-); return ;;
    'local serve|--port') reply=(-); return ;;
    'local serve|--state') reply=(-); return ;;
    'local serve|--endpoint') reply=(-); return ;;
    'local serve|--quota') reply=(-); return ;;
    'local exec|--state') reply=(-); return ;;
    'local exec|--endpoint') reply=(-); return ;;
    'local exec|--quota') reply=(-); return ;;
    'local fault add|--count') reply=(-); return ;;
    'local fault add|--probability') reply=(-); return ;;
    'local fault add|--match') reply=(-); return ;;
    'local fault add|--status') reply=(-); return ;;
    'local fault add|--latency') reply=(-); return ;;
    'local fault add|--retry-after') reply=(-); return ;;
  esac
  case "${1##*|}" in
    '--output'|'-o') reply=('table' 'wide' 'json' 'jsonl' 'yaml' 'csv' 'id'); return ;;
    '--fields') reply=(-); return ;;
    '--jq') reply=(-); return ;;
    '--base-url') reply=(-); return ;;
    '--queue-url') reply=(-); return ;;
    '--rest-url') reply=(-); return ;;
    '--profile') reply=(-); return ;;
    '--timeout') reply=(-); return ;;
    '--retries') reply=(-); return ;;
  esac
}
_berth() {
  local at="" word i
  local -a reply names
  for ((i = 2; i < CURRENT; i++)); do
    word="${words[i]}"
    _berth_words "$at"
    names=("${(@)reply%%:*}")
    if (( ${names[(Ie)$word]} )); then at="${at:+$at }$word"; fi
  done
  _berth_values "$at|${words[CURRENT-1]}"
  if [[ "${reply[1]}" == "-" ]]; then _files
  elif (( ${#reply} )); then compadd -- $reply
  elif [[ "${words[CURRENT]}" == -* ]]; then _berth_flags "$at"; _describe -o flag reply
  else _berth_words "$at"; _describe word reply
  fi
}
if [ "$funcstack[1]" = "_berth" ]; then _berth "$@"; else compdef _berth berth; fi
