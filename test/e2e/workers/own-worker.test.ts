import { describe, expect, test } from 'vitest';
import { serveBatch } from './batch.ts';
import { ownWorker, SHAPES } from './shapes.ts';
import { canTestWorkers, folderWith, localExec } from './support.ts';

describe.skipIf(!canTestWorkers)("berth's own Python worker serves a batch", () => {
  test.each(SHAPES.map((shape) => [shape.name, shape] as const))('%s', async (name, shape) => {
    const folder = await folderWith({ 'worker.py': ownWorker(shape) });
    await serveBatch(folder, shape, name === 'progress and refresh' ? 20 : 100);
  });
});

describe.skipIf(!canTestWorkers)('a handler file', () => {
  const WORKER = 'def handler(job):\n    return job["input"]["text"].upper()\n';

  test('one line of a CI job: the workers are replaced when the file changes', async () => {
    const folder = await folderWith({ 'worker.py': WORKER });
    const run = `berth jobs run up --input '{"text":"hi"}' --wait --jq .output --raw`;
    const { code, stdout, stderr } = await localExec(
      folder,
      ['--endpoint', 'up=worker.py', '--reload'],
      `${run}; sed 's/upper/title/' worker.py > new.tmp; mv new.tmp worker.py; until [ "$(${run} 2>/dev/null)" = Hi ]; do :; done; ${run}`,
    );
    expect([code, stdout], stderr).toEqual([0, 'HI\nHi\n']);
    expect(stderr).toContain('[up] worker.py has changed: the workers are replaced, each after the jobs that it has.');
  });

  test('a traceback fails the job with its lines', async () => {
    const folder = await folderWith({ 'worker.py': WORKER });
    const { stdout, stderr } = await localExec(
      folder,
      ['--endpoint', 'up=worker.py'],
      `berth jobs run up --input '{"text":1}' --wait --json || test $? -eq 10`,
    );
    const { status, error } = JSON.parse(stdout) as { readonly status: string; readonly error: string };
    expect(status).toBe('FAILED');
    expect(JSON.parse(error)).toMatchObject({
      error_type: 'AttributeError',
      error_message: expect.stringContaining('upper') as unknown,
      error_traceback: expect.stringMatching(/^Traceback[^]*worker\.py", line 2, in handler/) as unknown,
    });
    expect(stderr).toContain(`[up] AttributeError: 'int' object has no attribute 'upper'`);
  });

  test.each([
    ['NaN', 'return float("nan")'],
    ['infinity', 'return float("inf")'],
    ['a set', 'return {1}'],
    ['a list in itself', 'x = []; x.append(x); return x'],
    ['a list of very many levels', 'x = []\n    for _ in range(100000): x = [x]\n    return x'],
    ['a chunk that is no JSON', 'yield float("nan")'],
  ])('%s as the output fails the job, and the worker goes on', async (_, body) => {
    const folder = await folderWith({
      'worker.py': `def handler(job):\n    if not job["input"].get("bad"): return "good"\n    ${body}\n`.replace(
        /if not.*\n {4}yield/,
        'if not job["input"].get("bad"):\n        yield "good"\n        return\n    yield',
      ),
    });
    const { code, stdout, stderr } = await localExec(
      folder,
      ['--endpoint', 'up=worker.py'],
      `berth jobs run up --input '{"bad":1}' --wait --json || test $? -eq 10; berth jobs run up --input '{}' --wait --jq .output -o json`,
    );
    expect(code, stderr).toBe(0);
    const [bad, good] = stdout.split(/(?<=^\}\n)/m);
    const { status, error } = JSON.parse(bad ?? '') as { readonly status: string; readonly error: string };
    expect([status, error]).toEqual(['FAILED', expect.stringMatching(/^the output is not JSON: /)]);
    expect(good).toContain('good');
  });

  test('what it prints goes to stderr and to its log, and never to stdout', async () => {
    const folder = await folderWith({ 'worker.py': `print("loading")\n${WORKER}` });
    const { code, stdout, stderr } = await localExec(
      folder,
      ['--endpoint', 'up=worker.py'],
      `berth jobs run up --input '{"text":"hi"}' --sync --json > /dev/null; berth endpoints logs up "$(berth endpoints workers up -o id)" > log`,
    );
    expect([code, stdout], stderr).toEqual([0, '']);
    expect(stderr).toContain('[up] loading\n');
    expect(folder.read('log')).toContain('loading');
  });

  test('a command for each job', async () => {
    const folder = await folderWith({});
    const { code, stdout, stderr } = await localExec(
      folder,
      ['--endpoint', 'up=exec: tr a-z A-Z', '--endpoint', 'no=exec: echo no such model >&2; exit 3'],
      `berth jobs run up --input '{"text":"hi"}' --wait --jq .output; berth jobs run no --input '{}' --wait --jq .error || test $? -eq 10`,
    );
    expect(stdout, stderr).toContain('"TEXT": "HI"');
    expect(stdout).toContain('the command ended with exit code 3\\nno such model');
    expect(code).toBe(0);
  });
});
