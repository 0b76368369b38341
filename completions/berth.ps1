# PowerShell completion for berth. Made by `berth completion powershell`.
$BerthGlobal = @{ flags = @('--output', '--json', '--fields', '--jq', '--help', '--base-url', '--queue-url', '--rest-url', '--profile', '--local', '--timeout', '--retries', '--no-input', '--no-color', '--verbose'); values = @{ '--output' = @('table', 'wide', 'json', 'jsonl', 'yaml', 'csv', 'id'); '--fields' = @(); '--jq' = @(); '--base-url' = @(); '--queue-url' = @(); '--rest-url' = @(); '--profile' = @(); '--timeout' = @(); '--retries' = @() } }
$BerthTree = @{
  '' = @{ words = @('pods', 'endpoints', 'jobs', 'queue', 'health', 'volumes', 'registries', 'catalog', 'auth', 'config', 'limits', 'doctor', 'api', 'local', 'completion', 'help'); flags = @(); values = @{  } }
  'pods' = @{ words = @('list', 'get'); flags = @(); values = @{  } }
  'pods list' = @{ words = @(); flags = @('--all'); values = @{  } }
  'pods get' = @{ words = @(); flags = @('--exit-status', '--watch', '--interval'); values = @{ '--interval' = @() } }
  'endpoints' = @{ words = @('list', 'get'); flags = @(); values = @{  } }
  'endpoints list' = @{ words = @(); flags = @(); values = @{  } }
  'endpoints get' = @{ words = @(); flags = @(); values = @{  } }
  'jobs' = @{ words = @('run', 'status', 'stream', 'cancel', 'retry', 'wait'); flags = @(); values = @{  } }
  'jobs run' = @{ words = @(); flags = @('--input', '--input-file', '--wait', '--stream', '--sync', '--sync-wait', '--wait-timeout', '--webhook', '--execution-timeout', '--ttl', '--low-priority', '--dry-run'); values = @{ '--input' = @(); '--input-file' = @(); '--sync-wait' = @(); '--wait-timeout' = @(); '--webhook' = @(); '--execution-timeout' = @(); '--ttl' = @() } }
  'jobs status' = @{ words = @(); flags = @('--ttl', '--exit-status', '--watch', '--interval'); values = @{ '--ttl' = @(); '--interval' = @() } }
  'jobs stream' = @{ words = @(); flags = @('--wait-timeout'); values = @{ '--wait-timeout' = @() } }
  'jobs cancel' = @{ words = @(); flags = @('--dry-run', '--yes'); values = @{  } }
  'jobs retry' = @{ words = @(); flags = @('--wait', '--wait-timeout', '--dry-run'); values = @{ '--wait-timeout' = @() } }
  'jobs wait' = @{ words = @(); flags = @('--any', '--wait-timeout'); values = @{ '--wait-timeout' = @() } }
  'queue' = @{ words = @('purge'); flags = @(); values = @{  } }
  'queue purge' = @{ words = @(); flags = @('--dry-run', '--yes'); values = @{  } }
  'health' = @{ words = @(); flags = @('--watch', '--interval'); values = @{ '--interval' = @() } }
  'volumes' = @{ words = @('list', 'get', 'create', 'update', 'delete'); flags = @(); values = @{  } }
  'volumes list' = @{ words = @(); flags = @(); values = @{  } }
  'volumes get' = @{ words = @(); flags = @(); values = @{  } }
  'volumes create' = @{ words = @(); flags = @('--name', '--size', '--data-center', '--type', '--dry-run'); values = @{ '--name' = @(); '--size' = @(); '--data-center' = @(); '--type' = @('STANDARD', 'HIGH_PERFORMANCE') } }
  'volumes update' = @{ words = @(); flags = @('--name', '--size', '--set', '--file', '--dry-run'); values = @{ '--name' = @(); '--size' = @(); '--set' = @(); '--file' = @() } }
  'volumes delete' = @{ words = @(); flags = @('--dry-run', '--yes'); values = @{  } }
  'registries' = @{ words = @('delegations'); flags = @(); values = @{  } }
  'registries delegations' = @{ words = @('list', 'revoke'); flags = @(); values = @{  } }
  'registries delegations list' = @{ words = @(); flags = @(); values = @{  } }
  'registries delegations revoke' = @{ words = @(); flags = @('--dry-run', '--yes'); values = @{  } }
  'catalog' = @{ words = @('gpus', 'cpus', 'datacenters'); flags = @(); values = @{  } }
  'catalog gpus' = @{ words = @(); flags = @('--available', '--product', '--count', '--cloud', '--country', '--cuda', '--min-cuda'); values = @{ '--product' = @('POD', 'CLUSTER', 'SERVERLESS'); '--count' = @(); '--cloud' = @('SECURE', 'COMMUNITY'); '--country' = @(); '--cuda' = @(); '--min-cuda' = @() } }
  'catalog cpus' = @{ words = @(); flags = @('--available', '--product', '--vcpu'); values = @{ '--product' = @('POD', 'SERVERLESS'); '--vcpu' = @() } }
  'catalog datacenters' = @{ words = @(); flags = @('--available'); values = @{  } }
  'auth' = @{ words = @('login', 'logout', 'status', 'list', 'switch'); flags = @(); values = @{  } }
  'auth login' = @{ words = @(); flags = @('--with-key'); values = @{  } }
  'auth logout' = @{ words = @(); flags = @('--forget'); values = @{  } }
  'auth status' = @{ words = @(); flags = @('--check'); values = @{  } }
  'auth list' = @{ words = @(); flags = @(); values = @{  } }
  'auth switch' = @{ words = @(); flags = @(); values = @{  } }
  'config' = @{ words = @('list', 'get', 'set', 'unset', 'path'); flags = @(); values = @{  } }
  'config list' = @{ words = @(); flags = @(); values = @{  } }
  'config get' = @{ words = @('base-url', 'queue-url', 'rest-url', 'api-key-file', 'profile', 'local', 'timeout', 'retries', 'output', 'max-answer-bytes', 'config-dir', 'data-dir', 'no-input', 'no-color', 'verbose'); flags = @(); values = @{  } }
  'config set' = @{ words = @('base-url', 'queue-url', 'rest-url', 'timeout', 'retries', 'output', 'max-answer-bytes'); flags = @(); values = @{  } }
  'config unset' = @{ words = @('base-url', 'queue-url', 'rest-url', 'timeout', 'retries', 'output', 'max-answer-bytes'); flags = @(); values = @{  } }
  'config path' = @{ words = @(); flags = @(); values = @{  } }
  'limits' = @{ words = @(); flags = @(); values = @{  } }
  'doctor' = @{ words = @(); flags = @(); values = @{  } }
  'api' = @{ words = @('GET', 'POST', 'PUT', 'PATCH', 'DELETE'); flags = @('--service', '--field', '--raw-field', '--input', '--header', '--dry-run'); values = @{ '--service' = @('base', 'queue', 'rest'); '--field' = @(); '--raw-field' = @(); '--input' = @(); '--header' = @() } }
  'local' = @{ words = @('serve', 'exec', 'status', 'reset', 'clock', 'fault'); flags = @(); values = @{  } }
  'local serve' = @{ words = @(); flags = @('--port', '--state', '--endpoint', '--quota', '--no-queue-limits'); values = @{ '--port' = @(); '--state' = @(); '--endpoint' = @(); '--quota' = @() } }
  'local exec' = @{ words = @(); flags = @('--state', '--endpoint', '--quota', '--no-queue-limits'); values = @{ '--state' = @(); '--endpoint' = @(); '--quota' = @() } }
  'local status' = @{ words = @(); flags = @(); values = @{  } }
  'local reset' = @{ words = @(); flags = @('--yes'); values = @{  } }
  'local clock' = @{ words = @('show', 'advance'); flags = @(); values = @{  } }
  'local clock show' = @{ words = @(); flags = @(); values = @{  } }
  'local clock advance' = @{ words = @(); flags = @(); values = @{  } }
  'local fault' = @{ words = @('add', 'list', 'clear'); flags = @(); values = @{  } }
  'local fault add' = @{ words = @('rate-limit', 'server-error', 'latency', 'drop', 'accept-drop'); flags = @('--count', '--probability', '--match', '--status', '--latency', '--retry-after'); values = @{ '--count' = @(); '--probability' = @(); '--match' = @(); '--status' = @(); '--latency' = @(); '--retry-after' = @() } }
  'local fault list' = @{ words = @(); flags = @(); values = @{  } }
  'local fault clear' = @{ words = @(); flags = @(); values = @{  } }
  'completion' = @{ words = @('bash', 'zsh', 'fish', 'powershell'); flags = @('--install'); values = @{  } }
  'help' = @{ words = @(); flags = @(); values = @{  } }
}
Register-ArgumentCompleter -Native -CommandName berth -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $at = ''
  $previous = ''
  foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
    $word = $element.ToString()
    if ($element.Extent.EndOffset -ge $cursorPosition) { break }
    if ($BerthTree[$at].words -contains $word) { $at = ("$at $word").Trim() }
    $previous = $word
  }
  $node = $BerthTree[$at]
  if ($node.values.ContainsKey($previous)) { $candidates = $node.values[$previous] }
  elseif ($BerthGlobal.values.ContainsKey($previous)) { $candidates = $BerthGlobal.values[$previous] }
  elseif ($wordToComplete.StartsWith('-')) { $candidates = $node.flags + $BerthGlobal.flags }
  else { $candidates = $node.words }
  $candidates | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
