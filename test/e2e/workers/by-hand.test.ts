import { describe, expect, test } from 'vitest';
import { hasTerminal, inTerminal, programInTerminal } from '../terminal.ts';
import { berthPath, runProgram } from '../support.ts';
import { canTestWorkers, folderWith, serveLocal, until } from './support.ts';

const WORKER = 'def handler(job):\n    print("at", job["input"]["text"])\n    return job["input"]["text"].upper()\n';

describe.skipIf(!canTestWorkers)('a worker that somebody starts', () => {
  test.skipIf(!hasTerminal)('takes jobs in one terminal, and its log is followed in another', async () => {
    const folder = await folderWith({ 'worker.py': WORKER });
    const served = await serveLocal(folder, ['--endpoint', 'up']);
    const env = { ...folder.env, BERTH_BASE_URL: served.url, BERTH_API_KEY: served.key, PS1: 'shell> ' };
    const worker = await programInTerminal({ columns: 100, rows: 24 }, ['bash', '--norc', '-i'], env);
    await worker.waitFor('shell>');
    worker.type(`cd '${folder.path}'; eval "$(berth local worker-env up)"; echo "id $BERTH_WORKER_POD_ID"`);
    worker.press('Enter');
    const id = /^id (\S+)$/m.exec(await worker.waitFor(/^id \S+$/m))?.[1] ?? '';
    worker.type('python3 "$BERTH_WORKER_RUNNER" worker.py');
    worker.press('Enter');
    await until(async () => (await served.health('up')).workers['idle'] === 1);
    const log = await inTerminal({ columns: 100, rows: 24 }, ['endpoints', 'logs', 'up', id, '--follow'], env);
    const { id: job } = await served.run('up', { text: 'hi' });
    await worker.waitFor('at hi');
    await log.waitFor(`job ${job} finished: COMPLETED`);
    expect(await served.status('up', job)).toMatchObject({ status: 'COMPLETED', output: 'HI' });
    worker.press('C-c');
    await worker.waitFor(/shell>$/);
  });

  test('its variables are printed as export lines for any shell, and as JSON', async () => {
    const folder = await folderWith({});
    const served = await serveLocal(folder, ['--endpoint', 'up', '--worker-prefix', 'PFX']);
    const env = { ...folder.env, BERTH_BASE_URL: served.url, BERTH_API_KEY: served.key };
    const script = 'eval "$(berth local worker-env up)"; env | grep -E "^(PFX|BERTH_WORKER)_" | sort';
    const { stdout, stderr } = await runProgram('sh', ['-c', script], { env });
    expect(stdout, stderr).toContain(`PFX_WEBHOOK_GET_JOB=${served.url}/`);
    const json = await runProgram(berthPath(), ['local', 'worker-env', 'up', '--worker-prefix', 'ABC', '--json'], {
      env,
    });
    const variables = JSON.parse(json.stdout) as Readonly<Record<string, string>>;
    expect(variables).toMatchObject({
      ABC_ENDPOINT_ID: 'up',
      BERTH_WORKER_ENDPOINT_ID: 'up',
      ABC_WEBHOOK_GET_JOB: expect.stringMatching(/\/job-take\/\$ID\?/) as unknown,
      ABC_WEBHOOK_POST_OUTPUT: expect.stringContaining('$ABC_POD_ID/$ID?') as unknown,
    });
    expect(variables['ABC_POD_ID']).not.toBe(/PFX_POD_ID=(.*)/.exec(stdout)?.[1]);
    expect(Object.values(variables)).not.toContain(served.key);
  });

  test.each([
    [['nothing-here'], 4, /endpoint not found/],
    [['echo'], 5, /endpoint echo is not served by workers/],
  ])('%s has no such variables', async (args, code, message) => {
    const folder = await folderWith({});
    const served = await serveLocal(folder, ['--endpoint', 'up']);
    const env = { ...folder.env, BERTH_BASE_URL: served.url, BERTH_API_KEY: served.key };
    const ended = await runProgram(berthPath(), ['local', 'worker-env', ...args], { env });
    expect([ended.code, ended.stdout], ended.stderr).toEqual([code, '']);
    expect(ended.stderr).toMatch(message);
  });
});
