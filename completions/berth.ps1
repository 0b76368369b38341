# PowerShell completion for berth. Made by `berth completion powershell`.
$BerthGlobal = @{ flags = @('--output', '--json', '--fields', '--jq', '--raw', '--help', '--base-url', '--queue-url', '--rest-url', '--profile', '--local', '--timeout', '--retries', '--no-input', '--quiet', '--no-color', '--verbose'); values = @{ '--output' = @('table', 'wide', 'json', 'jsonl', 'yaml', 'csv', 'id'); '--fields' = @(); '--jq' = @(); '--base-url' = @(); '--queue-url' = @(); '--rest-url' = @(); '--profile' = @(); '--timeout' = @(); '--retries' = @() } }
$BerthTree = @{
  '' = @{ words = @('pods', 'endpoints', 'clusters', 'jobs', 'queue', 'health', 'top', 'volumes', 'templates', 'registries', 'catalog', 'billing', 'account', 'auth', 'config', 'limits', 'doctor', 'api', 'local', 'completion', 'help'); flags = @(); values = @{  } }
  'pods' = @{ words = @('list', 'get', 'create', 'update', 'delete', 'terminate', 'start', 'stop', 'restart', 'wait', 'logs', 'explain', 'ssh'); flags = @(); values = @{  } }
  'pods list' = @{ words = @(); flags = @('--all', '--cloud', '--data-center', '--gpu', '--match', '--status', '--older-than', '--newer-than', '--sort', '--watch', '--interval'); values = @{ '--cloud' = @('SECURE', 'COMMUNITY'); '--data-center' = @(); '--gpu' = @(); '--match' = @(); '--status' = @('PROVISIONING', 'STARTING', 'RUNNING', 'EXITED', 'ERROR', 'TERMINATED'); '--older-than' = @(); '--newer-than' = @(); '--sort' = @('id', 'name', 'status', 'cost', 'dataCenterId', 'createdAt', 'age', 'locked', 'uptime', 'cloud', 'image'); '--interval' = @() } }
  'pods get' = @{ words = @(); flags = @('--exit-status', '--watch', '--interval'); values = @{ '--interval' = @() } }
  'pods create' = @{ words = @(); flags = @('--name', '--image', '--args', '--disk', '--port', '--env', '--registry', '--gpu', '--gpu-count', '--cuda', '--min-cuda', '--cpu', '--vcpu', '--cloud', '--data-center', '--template', '--network-volume', '--persistent-size', '--mount-path', '--global-networking', '--start-ssh', '--start-jupyter', '--set', '--file', '--wait', '--wait-timeout', '--dry-run'); values = @{ '--name' = @(); '--image' = @(); '--args' = @(); '--disk' = @(); '--port' = @(); '--env' = @(); '--registry' = @(); '--gpu' = @(); '--gpu-count' = @(); '--cuda' = @(); '--min-cuda' = @(); '--cpu' = @(); '--vcpu' = @(); '--cloud' = @('SECURE', 'COMMUNITY'); '--data-center' = @(); '--template' = @(); '--network-volume' = @(); '--persistent-size' = @(); '--mount-path' = @(); '--set' = @(); '--file' = @(); '--wait-timeout' = @() } }
  'pods update' = @{ words = @(); flags = @('--name', '--image', '--args', '--disk', '--port', '--env', '--registry', '--template', '--persistent-size', '--mount-path', '--global-networking', '--locked', '--set', '--file', '--dry-run'); values = @{ '--name' = @(); '--image' = @(); '--args' = @(); '--disk' = @(); '--port' = @(); '--env' = @(); '--registry' = @(); '--template' = @(); '--persistent-size' = @(); '--mount-path' = @(); '--global-networking' = @('on', 'off'); '--locked' = @('on', 'off'); '--set' = @(); '--file' = @() } }
  'pods delete' = @{ words = @(); flags = @('--match', '--status', '--older-than', '--all', '--force', '--dry-run', '--yes'); values = @{ '--match' = @(); '--status' = @('PROVISIONING', 'STARTING', 'RUNNING', 'EXITED', 'ERROR', 'TERMINATED'); '--older-than' = @() } }
  'pods terminate' = @{ words = @(); flags = @('--match', '--status', '--older-than', '--all', '--force', '--dry-run', '--yes'); values = @{ '--match' = @(); '--status' = @('PROVISIONING', 'STARTING', 'RUNNING', 'EXITED', 'ERROR', 'TERMINATED'); '--older-than' = @() } }
  'pods start' = @{ words = @(); flags = @('--wait', '--wait-timeout', '--match', '--status', '--older-than', '--all', '--dry-run', '--yes'); values = @{ '--wait-timeout' = @(); '--match' = @(); '--status' = @('PROVISIONING', 'STARTING', 'RUNNING', 'EXITED', 'ERROR', 'TERMINATED'); '--older-than' = @() } }
  'pods stop' = @{ words = @(); flags = @('--wait', '--wait-timeout', '--match', '--status', '--older-than', '--all', '--dry-run', '--yes'); values = @{ '--wait-timeout' = @(); '--match' = @(); '--status' = @('PROVISIONING', 'STARTING', 'RUNNING', 'EXITED', 'ERROR', 'TERMINATED'); '--older-than' = @() } }
  'pods restart' = @{ words = @(); flags = @('--wait', '--wait-timeout', '--match', '--status', '--older-than', '--all', '--dry-run', '--yes'); values = @{ '--wait-timeout' = @(); '--match' = @(); '--status' = @('PROVISIONING', 'STARTING', 'RUNNING', 'EXITED', 'ERROR', 'TERMINATED'); '--older-than' = @() } }
  'pods wait' = @{ words = @(); flags = @('--for', '--wait-timeout', '--match', '--status', '--older-than', '--all'); values = @{ '--for' = @('PROVISIONING', 'STARTING', 'RUNNING', 'EXITED', 'ERROR', 'TERMINATED'); '--wait-timeout' = @(); '--match' = @(); '--status' = @('PROVISIONING', 'STARTING', 'RUNNING', 'EXITED', 'ERROR', 'TERMINATED'); '--older-than' = @() } }
  'pods logs' = @{ words = @(); flags = @('--follow', '--source', '--tail', '--since', '--times', '--after', '--match'); values = @{ '--source' = @('container', 'system'); '--tail' = @(); '--since' = @(); '--times' = @('utc', 'local', 'relative', 'none'); '--after' = @(); '--match' = @() } }
  'pods explain' = @{ words = @(); flags = @('--exit-status'); values = @{  } }
  'pods ssh' = @{ words = @(); flags = @('--proxy', '--print'); values = @{  } }
  'endpoints' = @{ words = @('list', 'get', 'create', 'update', 'delete', 'workers', 'releases', 'logs', 'explain'); flags = @(); values = @{  } }
  'endpoints list' = @{ words = @(); flags = @('--match', '--older-than', '--newer-than', '--sort'); values = @{ '--match' = @(); '--older-than' = @(); '--newer-than' = @(); '--sort' = @('id', 'name', 'type', 'createdAt', 'age', 'image') } }
  'endpoints get' = @{ words = @(); flags = @(); values = @{  } }
  'endpoints create' = @{ words = @(); flags = @('--name', '--type', '--image', '--args', '--disk', '--port', '--env', '--registry', '--template', '--gpu-pool', '--exclude-gpu', '--gpu-count', '--cuda', '--min-cuda', '--cpu', '--workers-min', '--workers-max', '--idle-timeout', '--queue-delay', '--request-count', '--execution-timeout', '--flashboot', '--data-center', '--network-volume', '--set', '--file', '--wait', '--wait-timeout', '--dry-run'); values = @{ '--name' = @(); '--type' = @('QUEUE', 'LOAD_BALANCER'); '--image' = @(); '--args' = @(); '--disk' = @(); '--port' = @(); '--env' = @(); '--registry' = @(); '--template' = @(); '--gpu-pool' = @(); '--exclude-gpu' = @(); '--gpu-count' = @(); '--cuda' = @(); '--min-cuda' = @(); '--cpu' = @(); '--workers-min' = @(); '--workers-max' = @(); '--idle-timeout' = @(); '--queue-delay' = @(); '--request-count' = @(); '--execution-timeout' = @(); '--flashboot' = @('OFF', 'FLASHBOOT', 'PRIORITY_FLASHBOOT'); '--data-center' = @(); '--network-volume' = @(); '--set' = @(); '--file' = @(); '--wait-timeout' = @() } }
  'endpoints update' = @{ words = @(); flags = @('--name', '--image', '--args', '--disk', '--port', '--env', '--registry', '--template', '--gpu-pool', '--exclude-gpu', '--gpu-count', '--cuda', '--min-cuda', '--cpu', '--workers-min', '--workers-max', '--idle-timeout', '--queue-delay', '--request-count', '--execution-timeout', '--flashboot', '--data-center', '--network-volume', '--set', '--file', '--wait', '--wait-timeout', '--dry-run'); values = @{ '--name' = @(); '--image' = @(); '--args' = @(); '--disk' = @(); '--port' = @(); '--env' = @(); '--registry' = @(); '--template' = @(); '--gpu-pool' = @(); '--exclude-gpu' = @(); '--gpu-count' = @(); '--cuda' = @(); '--min-cuda' = @(); '--cpu' = @(); '--workers-min' = @(); '--workers-max' = @(); '--idle-timeout' = @(); '--queue-delay' = @(); '--request-count' = @(); '--execution-timeout' = @(); '--flashboot' = @('OFF', 'FLASHBOOT', 'PRIORITY_FLASHBOOT'); '--data-center' = @(); '--network-volume' = @(); '--set' = @(); '--file' = @(); '--wait-timeout' = @() } }
  'endpoints delete' = @{ words = @(); flags = @('--match', '--older-than', '--all', '--dry-run', '--yes'); values = @{ '--match' = @(); '--older-than' = @() } }
  'endpoints workers' = @{ words = @(); flags = @('--watch', '--interval'); values = @{ '--interval' = @() } }
  'endpoints releases' = @{ words = @(); flags = @('--wait', '--wait-timeout', '--watch', '--interval'); values = @{ '--wait-timeout' = @(); '--interval' = @() } }
  'endpoints logs' = @{ words = @(); flags = @('--follow', '--source', '--tail', '--since', '--times', '--after'); values = @{ '--source' = @('container', 'system'); '--tail' = @(); '--since' = @(); '--times' = @('utc', 'local', 'relative', 'none'); '--after' = @() } }
  'endpoints explain' = @{ words = @(); flags = @('--sample', '--exit-status'); values = @{ '--sample' = @() } }
  'clusters' = @{ words = @('list', 'get', 'create', 'update', 'delete', 'pods'); flags = @(); values = @{  } }
  'clusters list' = @{ words = @(); flags = @('--match', '--older-than', '--newer-than', '--sort'); values = @{ '--match' = @(); '--older-than' = @(); '--newer-than' = @(); '--sort' = @('id', 'name', 'type', 'dataCenterId', 'createdAt', 'age') } }
  'clusters get' = @{ words = @(); flags = @('--watch', '--interval'); values = @{ '--interval' = @() } }
  'clusters create' = @{ words = @(); flags = @('--name', '--type', '--gpu', '--gpu-count', '--pods', '--image', '--args', '--disk', '--port', '--env', '--data-center', '--network-volume', '--start-ssh', '--start-jupyter', '--set', '--file', '--wait', '--wait-timeout', '--dry-run'); values = @{ '--name' = @(); '--type' = @('APPLICATION', 'TRAINING', 'SLURM', 'RAY'); '--gpu' = @(); '--gpu-count' = @(); '--pods' = @(); '--image' = @(); '--args' = @(); '--disk' = @(); '--port' = @(); '--env' = @(); '--data-center' = @(); '--network-volume' = @(); '--set' = @(); '--file' = @(); '--wait-timeout' = @() } }
  'clusters update' = @{ words = @(); flags = @('--name', '--set', '--file', '--dry-run'); values = @{ '--name' = @(); '--set' = @(); '--file' = @() } }
  'clusters delete' = @{ words = @(); flags = @('--match', '--older-than', '--all', '--dry-run', '--yes'); values = @{ '--match' = @(); '--older-than' = @() } }
  'clusters pods' = @{ words = @(); flags = @('--watch', '--interval'); values = @{ '--interval' = @() } }
  'jobs' = @{ words = @('run', 'status', 'stream', 'cancel', 'retry', 'wait', 'explain', 'batch'); flags = @(); values = @{  } }
  'jobs run' = @{ words = @(); flags = @('--input', '--input-file', '--wait', '--stream', '--sync', '--sync-wait', '--wait-timeout', '--webhook', '--execution-timeout', '--ttl', '--low-priority', '--dry-run'); values = @{ '--input' = @(); '--input-file' = @(); '--sync-wait' = @(); '--wait-timeout' = @(); '--webhook' = @(); '--execution-timeout' = @(); '--ttl' = @() } }
  'jobs status' = @{ words = @(); flags = @('--ttl', '--exit-status', '--watch', '--interval'); values = @{ '--ttl' = @(); '--interval' = @() } }
  'jobs stream' = @{ words = @(); flags = @('--wait-timeout'); values = @{ '--wait-timeout' = @() } }
  'jobs cancel' = @{ words = @(); flags = @('--dry-run', '--yes'); values = @{  } }
  'jobs retry' = @{ words = @(); flags = @('--wait', '--wait-timeout', '--dry-run'); values = @{ '--wait-timeout' = @() } }
  'jobs wait' = @{ words = @(); flags = @('--any', '--wait-timeout'); values = @{ '--wait-timeout' = @() } }
  'jobs explain' = @{ words = @(); flags = @('--sample', '--exit-status'); values = @{ '--sample' = @() } }
  'jobs batch' = @{ words = @('run', 'resume', 'status', 'report', 'export'); flags = @(); values = @{  } }
  'jobs batch run' = @{ words = @(); flags = @('--input', '--out', '--input-format', '--input-field', '--id-field', '--types', '--skip-invalid', '--ordered', '--concurrency', '--rate', '--in-flight', '--max-failures', '--max-time', '--retry-failed', '--execution-timeout', '--ttl', '--low-priority', '--dry-run'); values = @{ '--input' = @(); '--out' = @(); '--input-format' = @('jsonl', 'csv'); '--input-field' = @(); '--id-field' = @(); '--types' = @(); '--concurrency' = @(); '--rate' = @(); '--in-flight' = @(); '--max-failures' = @(); '--max-time' = @(); '--retry-failed' = @(); '--execution-timeout' = @(); '--ttl' = @() } }
  'jobs batch resume' = @{ words = @(); flags = @('--input', '--resubmit', '--only-error', '--resubmit-unknown', '--moved', '--concurrency', '--rate', '--in-flight', '--max-failures', '--max-time', '--retry-failed'); values = @{ '--input' = @(); '--resubmit' = @('failed', 'expired', 'timed-out', 'cancelled', 'unknown'); '--only-error' = @(); '--concurrency' = @(); '--rate' = @(); '--in-flight' = @(); '--max-failures' = @(); '--max-time' = @(); '--retry-failed' = @() } }
  'jobs batch status' = @{ words = @(); flags = @('--exit-status', '--watch', '--interval'); values = @{ '--interval' = @() } }
  'jobs batch report' = @{ words = @(); flags = @('--html'); values = @{ '--html' = @() } }
  'jobs batch export' = @{ words = @(); flags = @('--format', '--join-input', '--ordered', '--out', '--input'); values = @{ '--format' = @('csv', 'json', 'jsonl'); '--out' = @(); '--input' = @() } }
  'queue' = @{ words = @('purge'); flags = @(); values = @{  } }
  'queue purge' = @{ words = @(); flags = @('--dry-run', '--yes'); values = @{  } }
  'health' = @{ words = @(); flags = @('--watch', '--interval'); values = @{ '--interval' = @() } }
  'top' = @{ words = @('pods', 'endpoints'); flags = @('--once', '--interval'); values = @{ '--interval' = @() } }
  'volumes' = @{ words = @('list', 'get', 'create', 'update', 'delete'); flags = @(); values = @{  } }
  'volumes list' = @{ words = @(); flags = @('--match', '--sort'); values = @{ '--match' = @(); '--sort' = @('id', 'name', 'size', 'type', 'dataCenter') } }
  'volumes get' = @{ words = @(); flags = @(); values = @{  } }
  'volumes create' = @{ words = @(); flags = @('--name', '--size', '--data-center', '--type', '--set', '--file', '--dry-run'); values = @{ '--name' = @(); '--size' = @(); '--data-center' = @(); '--type' = @('STANDARD', 'HIGH_PERFORMANCE'); '--set' = @(); '--file' = @() } }
  'volumes update' = @{ words = @(); flags = @('--name', '--size', '--set', '--file', '--dry-run'); values = @{ '--name' = @(); '--size' = @(); '--set' = @(); '--file' = @() } }
  'volumes delete' = @{ words = @(); flags = @('--match', '--all', '--force', '--dry-run', '--yes'); values = @{ '--match' = @() } }
  'templates' = @{ words = @('list', 'get', 'create', 'update', 'delete'); flags = @(); values = @{  } }
  'templates list' = @{ words = @(); flags = @('--serverless', '--pods', '--match', '--sort'); values = @{ '--match' = @(); '--sort' = @('id', 'name', 'image', 'public', 'category', 'registry') } }
  'templates get' = @{ words = @(); flags = @(); values = @{  } }
  'templates create' = @{ words = @(); flags = @('--name', '--image', '--args', '--disk', '--port', '--env', '--registry', '--category', '--cuda', '--persistent-size', '--mount-path', '--serverless', '--public', '--start-ssh', '--start-jupyter', '--set', '--file', '--dry-run'); values = @{ '--name' = @(); '--image' = @(); '--args' = @(); '--disk' = @(); '--port' = @(); '--env' = @(); '--registry' = @(); '--category' = @('CPU', 'NVIDIA', 'AMD'); '--cuda' = @(); '--persistent-size' = @(); '--mount-path' = @(); '--start-ssh' = @('on', 'off'); '--start-jupyter' = @('on', 'off'); '--set' = @(); '--file' = @() } }
  'templates update' = @{ words = @(); flags = @('--name', '--image', '--args', '--disk', '--port', '--env', '--registry', '--category', '--cuda', '--persistent-size', '--mount-path', '--serverless', '--public', '--start-ssh', '--start-jupyter', '--set', '--file', '--dry-run'); values = @{ '--name' = @(); '--image' = @(); '--args' = @(); '--disk' = @(); '--port' = @(); '--env' = @(); '--registry' = @(); '--category' = @('CPU', 'NVIDIA', 'AMD'); '--cuda' = @(); '--persistent-size' = @(); '--mount-path' = @(); '--serverless' = @('on', 'off'); '--public' = @('on', 'off'); '--start-ssh' = @('on', 'off'); '--start-jupyter' = @('on', 'off'); '--set' = @(); '--file' = @() } }
  'templates delete' = @{ words = @(); flags = @('--match', '--all', '--dry-run', '--yes'); values = @{ '--match' = @() } }
  'registries' = @{ words = @('list', 'get', 'create', 'delete', 'delegations'); flags = @(); values = @{  } }
  'registries list' = @{ words = @(); flags = @('--match', '--sort'); values = @{ '--match' = @(); '--sort' = @('id', 'name') } }
  'registries get' = @{ words = @(); flags = @(); values = @{  } }
  'registries create' = @{ words = @(); flags = @('--name', '--username', '--set', '--file', '--password-stdin', '--dry-run'); values = @{ '--name' = @(); '--username' = @(); '--set' = @(); '--file' = @() } }
  'registries delete' = @{ words = @(); flags = @('--match', '--all', '--dry-run', '--yes'); values = @{ '--match' = @() } }
  'registries delegations' = @{ words = @('list', 'create', 'revoke'); flags = @(); values = @{  } }
  'registries delegations list' = @{ words = @(); flags = @('--match', '--older-than', '--newer-than', '--sort'); values = @{ '--match' = @(); '--older-than' = @(); '--newer-than' = @(); '--sort' = @('id', 'name', 'repository', 'tag', 'createdAt', 'age', 'awsRegion', 'dockerRegistryUri', 'awsUser', 'delegatorUserId') } }
  'registries delegations create' = @{ words = @(); flags = @('--resource', '--name', '--set', '--file', '--dry-run'); values = @{ '--resource' = @(); '--name' = @(); '--set' = @(); '--file' = @() } }
  'registries delegations revoke' = @{ words = @(); flags = @('--dry-run', '--yes'); values = @{  } }
  'catalog' = @{ words = @('gpus', 'cpus', 'datacenters', 'templates'); flags = @(); values = @{  } }
  'catalog gpus' = @{ words = @(); flags = @('--available', '--map', '--product', '--count', '--cloud', '--country', '--cuda', '--min-cuda', '--match', '--sort'); values = @{ '--product' = @('POD', 'CLUSTER', 'SERVERLESS'); '--count' = @(); '--cloud' = @('SECURE', 'COMMUNITY'); '--country' = @(); '--cuda' = @(); '--min-cuda' = @(); '--match' = @(); '--sort' = @('id', 'name', 'memory', 'securePrice', 'communityPrice', 'availability', 'pool', 'serverlessPrice', 'maxCount', 'manufacturer') } }
  'catalog cpus' = @{ words = @(); flags = @('--available', '--product', '--vcpu', '--match', '--sort'); values = @{ '--product' = @('POD', 'SERVERLESS'); '--vcpu' = @(); '--match' = @(); '--sort' = @('id', 'name', 'group', 'ramGbPerVcpu', 'securePrice', 'availability', 'serverlessPrice') } }
  'catalog datacenters' = @{ words = @(); flags = @('--available', '--region', '--volume-type', '--compliance', '--global-network', '--match', '--sort'); values = @{ '--region' = @(); '--volume-type' = @('STANDARD', 'HIGH_PERFORMANCE'); '--compliance' = @(); '--match' = @(); '--sort' = @('id', 'name', 'region', 'globalNetwork') } }
  'catalog templates' = @{ words = @(); flags = @('--source', '--match', '--sort'); values = @{ '--source' = @('official', 'verified', 'community'); '--match' = @(); '--sort' = @('id', 'name', 'image', 'public', 'category', 'registry') } }
  'billing' = @{ words = @('report', 'summary', 'pods', 'serverless', 'endpoints', 'volumes', 'clusters'); flags = @(); values = @{  } }
  'billing report' = @{ words = @(); flags = @('--last', '--by', '--budget'); values = @{ '--last' = @(); '--by' = @('pod', 'endpoint', 'volume', 'cluster', 'day'); '--budget' = @() } }
  'billing summary' = @{ words = @(); flags = @('--from', '--to', '--last', '--bucket'); values = @{ '--from' = @(); '--to' = @(); '--last' = @(); '--bucket' = @('hour', 'day', 'week', 'month', 'year') } }
  'billing pods' = @{ words = @(); flags = @('--from', '--to', '--last', '--bucket', '--pod'); values = @{ '--from' = @(); '--to' = @(); '--last' = @(); '--bucket' = @('hour', 'day', 'week', 'month', 'year'); '--pod' = @() } }
  'billing serverless' = @{ words = @(); flags = @('--from', '--to', '--last', '--bucket', '--endpoint'); values = @{ '--from' = @(); '--to' = @(); '--last' = @(); '--bucket' = @('hour', 'day', 'week', 'month', 'year'); '--endpoint' = @() } }
  'billing endpoints' = @{ words = @(); flags = @('--from', '--to', '--last', '--bucket'); values = @{ '--from' = @(); '--to' = @(); '--last' = @(); '--bucket' = @('hour', 'day', 'week', 'month', 'year') } }
  'billing volumes' = @{ words = @(); flags = @('--from', '--to', '--last', '--bucket', '--volume'); values = @{ '--from' = @(); '--to' = @(); '--last' = @(); '--bucket' = @('hour', 'day', 'week', 'month', 'year'); '--volume' = @() } }
  'billing clusters' = @{ words = @(); flags = @('--from', '--to', '--last', '--bucket', '--cluster'); values = @{ '--from' = @(); '--to' = @(); '--last' = @(); '--bucket' = @('hour', 'day', 'week', 'month', 'year'); '--cluster' = @() } }
  'account' = @{ words = @('ssh-keys'); flags = @(); values = @{  } }
  'account ssh-keys' = @{ words = @('list', 'add', 'remove', 'set'); flags = @(); values = @{  } }
  'account ssh-keys list' = @{ words = @(); flags = @(); values = @{  } }
  'account ssh-keys add' = @{ words = @(); flags = @('--dry-run'); values = @{  } }
  'account ssh-keys remove' = @{ words = @(); flags = @('--dry-run', '--yes'); values = @{  } }
  'account ssh-keys set' = @{ words = @(); flags = @('--none', '--dry-run', '--yes'); values = @{  } }
  'auth' = @{ words = @('login', 'logout', 'status', 'list', 'switch'); flags = @(); values = @{  } }
  'auth login' = @{ words = @(); flags = @('--with-key', '--no-check'); values = @{  } }
  'auth logout' = @{ words = @(); flags = @('--forget'); values = @{  } }
  'auth status' = @{ words = @(); flags = @('--check'); values = @{  } }
  'auth list' = @{ words = @(); flags = @(); values = @{  } }
  'auth switch' = @{ words = @(); flags = @(); values = @{  } }
  'config' = @{ words = @('list', 'get', 'set', 'unset', 'path'); flags = @(); values = @{  } }
  'config list' = @{ words = @(); flags = @(); values = @{  } }
  'config get' = @{ words = @('base-url', 'queue-url', 'rest-url', 'api-key-file', 'profile', 'local', 'timeout', 'retries', 'output', 'max-answer-bytes', 'config-dir', 'data-dir', 'no-input', 'quiet', 'no-color', 'verbose'); flags = @(); values = @{  } }
  'config set' = @{ words = @('base-url', 'queue-url', 'rest-url', 'timeout', 'retries', 'output', 'max-answer-bytes'); flags = @(); values = @{  } }
  'config unset' = @{ words = @('base-url', 'queue-url', 'rest-url', 'timeout', 'retries', 'output', 'max-answer-bytes'); flags = @(); values = @{  } }
  'config path' = @{ words = @(); flags = @(); values = @{  } }
  'limits' = @{ words = @(); flags = @(); values = @{  } }
  'doctor' = @{ words = @(); flags = @(); values = @{  } }
  'api' = @{ words = @('GET', 'POST', 'PUT', 'PATCH', 'DELETE'); flags = @('--service', '--field', '--raw-field', '--input', '--header', '--dry-run'); values = @{ '--service' = @('base', 'queue', 'rest'); '--field' = @(); '--raw-field' = @(); '--input' = @(); '--header' = @() } }
  'local' = @{ words = @('serve', 'exec', 'status', 'reset', 'clock', 'fault', 'stock'); flags = @(); values = @{  } }
  'local serve' = @{ words = @(); flags = @('--port', '--state', '--endpoint', '--quota', '--no-queue-limits', '--stream-shape', '--allow-private-webhooks'); values = @{ '--port' = @(); '--state' = @(); '--endpoint' = @(); '--quota' = @(); '--stream-shape' = @('array', 'object') } }
  'local exec' = @{ words = @(); flags = @('--state', '--endpoint', '--quota', '--no-queue-limits', '--stream-shape', '--allow-private-webhooks'); values = @{ '--state' = @(); '--endpoint' = @(); '--quota' = @(); '--stream-shape' = @('array', 'object') } }
  'local status' = @{ words = @(); flags = @(); values = @{  } }
  'local reset' = @{ words = @(); flags = @('--yes'); values = @{  } }
  'local clock' = @{ words = @('show', 'advance'); flags = @(); values = @{  } }
  'local clock show' = @{ words = @(); flags = @(); values = @{  } }
  'local clock advance' = @{ words = @(); flags = @(); values = @{  } }
  'local fault' = @{ words = @('add', 'list', 'clear'); flags = @(); values = @{  } }
  'local fault add' = @{ words = @('rate-limit', 'server-error', 'latency', 'drop', 'accept-drop', 'low-balance'); flags = @('--count', '--probability', '--match', '--status', '--latency', '--retry-after'); values = @{ '--count' = @(); '--probability' = @(); '--match' = @(); '--status' = @(); '--latency' = @(); '--retry-after' = @() } }
  'local fault list' = @{ words = @(); flags = @(); values = @{  } }
  'local fault clear' = @{ words = @(); flags = @(); values = @{  } }
  'local stock' = @{ words = @('list', 'set', 'clear'); flags = @(); values = @{  } }
  'local stock list' = @{ words = @(); flags = @(); values = @{  } }
  'local stock set' = @{ words = @(); flags = @('--data-center'); values = @{ '--data-center' = @() } }
  'local stock clear' = @{ words = @(); flags = @(); values = @{  } }
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
