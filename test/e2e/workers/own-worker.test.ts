import { describe, expect, test } from 'vitest';
import { serveBatches } from './batch.ts';
import { filesOf, ownWorker } from './shapes.ts';
import { canTestWorkers, folderWith, localExec } from './support.ts';

test.skipIf(!canTestWorkers)("berth's own Python worker serves a batch with handlers of every shape", async () => {
  await serveBatches(await folderWith(filesOf(ownWorker)), 12);
});

/** Lines of Python whose result is not JSON. */
const BAD = [
  ['nan', 'return float("nan")'],
  ['infinity', 'return float("inf")'],
  ['set', 'return {1}'],
  ['circle', 'x = []; x.append(x); return x'],
  ['levels', 'return deep()'],
] as const;

const DEEP = 'def deep():\n    x = []\n    for _ in range(100000): x = [x]\n    return x\n';

describe.skipIf(!canTestWorkers)('a handler file', () => {
  test('what fails a job is its error, and the worker goes on; what it prints goes to stderr and to its log', async () => {
    const worker = `print("loading")
def handler(job):
    what = job["input"]["what"]
${BAD.map(([name, body]) => `    if what == "${name}": ${body}\n`).join('')}    return what.upper()
`;
    const folder = await folderWith({ 'worker.py': DEEP + worker });
    const { code, stdout, stderr } = await localExec(
      folder,
      ['--endpoint', 'up=worker.py'],
      `for name in number ${BAD.map(([name]) => name).join(' ')} hi; do
  what=$(printf '"%s"' "$name")
  test $name = number && what=1
  berth jobs run up --input "{\\"what\\":$what}" --wait --jq '{status, error, output}' -o jsonl || test $? -eq 10
done
berth endpoints logs up "$(berth endpoints workers up -o id)" > log`,
    );
    expect(code, stderr).toBe(0);
    const [number, ...others] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly status: string; readonly error: string; readonly output: unknown });
    expect(JSON.parse(number?.error ?? '')).toMatchObject({
      error_type: 'AttributeError',
      error_message: expect.stringContaining('upper') as unknown,
      error_traceback: expect.stringMatching(/^Traceback[^]*worker\.py", line \d+, in handler/) as unknown,
    });
    expect(others).toEqual([
      ...BAD.map(() => ({
        status: 'FAILED',
        error: expect.stringMatching(/^the output is not JSON: /) as unknown,
        output: null,
      })),
      { status: 'COMPLETED', error: null, output: 'HI' },
    ]);
    expect(stderr).toContain(`[up] AttributeError: 'int' object has no attribute 'upper'`);
    expect(stderr).toContain('[up] loading\n');
    expect(folder.read('log')).toContain('TypeError: Object of type set is not JSON');
  });

  test('a chunk that is not JSON fails the job', async () => {
    const folder = await folderWith({ 'worker.py': 'def handler(job):\n    yield float("nan")\n' });
    const { stdout, stderr } = await localExec(
      folder,
      ['--endpoint', 'up=worker.py'],
      `berth jobs run up --input '{}' --wait --json --jq .error --raw || test $? -eq 10`,
    );
    expect(stdout, stderr).toMatch(/^the output is not JSON: /);
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
