import { describe, expect, onTestFinished, test } from 'vitest';
import { realClock } from '../../../../../src/host/runtime/runtime.ts';
import { createStartProcess } from '../../../../../src/host/process/start-process.ts';
import { startExecWorker } from '../../../../../src/local/workers/start-workers.ts';
import { temporaryDirectory } from '../../../../support/files/temporary-directory.ts';

async function worker(command: string, env: Record<string, string> = {}) {
  let printed = '';
  const startProcess = createStartProcess({ env: process.env, platform: process.platform, clock: realClock });
  const started = startExecWorker(
    { kind: 'exec', command, cwd: temporaryDirectory() },
    { startProcess, monotonic: () => realClock.monotonic(), env, onLine: (line) => (printed += `${line}\n`) },
  );
  onTestFinished(() => started.stop());
  const run = (input: string) => started.run({ id: 'job-1', endpointId: 'up', input }, () => Promise.resolve());
  return { started, run, printed: () => printed };
}

describe.skipIf(process.platform === 'win32')('a command for each job', () => {
  test.each([
    ['JSON stays as it was printed', 'cat', '{"n":9007199254740993}', '{"n":9007199254740993}'],
    ['other text is a string', 'echo "two words"', '{}', '"two words"'],
    ['several lines are a string without the last line feed', 'printf "a\\nb\\n"', '{}', '"a\\nb"'],
    ['nothing is null', 'true', '{}', 'null'],
    ['the job is named in variables', 'echo "$BERTH_JOB_ID on $BERTH_ENDPOINT_ID"', '{}', '"job-1 on up"'],
    ['input that is not read', 'exec 0<&-; echo 1', `{"text":"${'x'.repeat(1_000_000)}"}`, '1'],
  ])('%s', async (_, command, input, text) => {
    const { run } = await worker(command);
    expect(await run(input)).toEqual({ kind: 'output', text });
  });

  test('variables of its endpoint reach it, and those that name the job win over them', async () => {
    const { run } = await worker('echo "$TOKEN $BERTH_JOB_ID"', { TOKEN: 'value', BERTH_JOB_ID: 'other' });
    expect(await run('{}')).toEqual({ kind: 'output', text: '"value job-1"' });
  });

  test.each([
    ['NaN', 'echo \'{"a": [1, NaN]}\'', 'the output is not JSON: it has NaN'],
    ['-Infinity', 'echo -Infinity', 'the output is not JSON: it has -Infinity'],
    ['bytes that are not UTF-8', "printf '\\377\\376'", /^the output is not UTF-8$/],
    ['a string in JSON that is not UTF-8', 'printf \'{"name": "caf\\351"}\'', /^the output is not UTF-8$/],
    [
      '25 MB',
      "head -c 25000000 /dev/zero | tr '\\0' x",
      /^the output has \d+ bytes, and a job may have at most 20 MB$/,
    ],
  ])('%s: FAILED with the reason', async (_, command, error) => {
    const { run } = await worker(command);
    const outcome = await run('{}');
    expect(outcome).toMatchObject({ kind: 'error' });
    expect((outcome as { error: string }).error).toMatch(error);
  });

  test.each([
    ['echo "no such model" >&2; exit 3', 'the command ended with exit code 3\nno such model'],
    ['exit 1', 'the command ended with exit code 1'],
    ['kill -KILL $$', 'the command was ended by SIGKILL'],
    ['for n in $(seq 100); do echo $n >&2; done; exit 1', /exit code 1\n81\n(.*\n){18}100$/],
  ])('%s: FAILED with the last lines of stderr', async (command, error) => {
    const { run } = await worker(command);
    const outcome = await run('{}');
    expect(outcome).toMatchObject({ kind: 'error', ...(typeof error === 'string' ? { error } : {}) });
    expect((outcome as { error: string }).error).toMatch(error);
  });

  test('stderr is its log, and no part of the output', async () => {
    const { run, printed } = await worker('echo working >&2; echo 1');
    expect(await run('{}')).toEqual({ kind: 'output', text: '1' });
    expect(printed()).toBe('working\n');
  });

  test('a job that is stopped has no outcome', async () => {
    const { run, started } = await worker('sleep 300');
    const running = run('{}');
    await started.stop();
    expect(await running).toBeUndefined();
    expect([started.stopped, await run('{}')]).toEqual([true, undefined]);
  });
});
