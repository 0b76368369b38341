import { expect, test } from 'vitest';
import { canTestWorkers, folderWith, localExec } from './support.ts';

const WORKER = 'import os\n\ndef handler(job):\n    return os.environ["TOKEN"]\n';

const SCRIPT = `
printf one | berth secrets create --name hf --value-stdin > created
for endpoint in module command python; do
  berth endpoints update $endpoint --env TOKEN=@secret:hf --idle-timeout 1h > updated
  berth jobs run $endpoint --input '{}' --sync --jq .output
  berth endpoints get $endpoint --jq .env.TOKEN
done
printf two | berth secrets update hf --value-stdin > updated
berth jobs run command --input '{}' --sync --jq .output
berth endpoints update command --env OTHER=1 --wait > updated
berth jobs run command --input '{}' --sync --jq .output`;

test.skipIf(!canTestWorkers)(
  'workers of every kind get the value of a secret, and a new value when they are started anew; the API shows placeholders',
  async () => {
    const folder = await folderWith({ 'module.mjs': 'export default () => process.env.TOKEN;', 'worker.py': WORKER });
    const endpoints = ['module=module.mjs', 'command=exec: echo "$TOKEN"', 'python=worker.py'];
    const flags = endpoints.flatMap((endpoint) => ['--endpoint', endpoint]);
    const { code, stdout, stderr } = await localExec(folder, flags, SCRIPT);
    const placeholder = '"{{ BERTH_SECRET_hf }}"';
    const started = ['"one"', placeholder, '"one"', placeholder, '"one"', placeholder];
    expect(stdout.trim().split('\n'), stderr).toEqual([...started, '"one"', '"two"']);
    expect(code).toBe(0);
  },
);
