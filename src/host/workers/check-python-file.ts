import type { Clock } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import type { StartProcess } from '../../local/index.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

const CHECK_TIMEOUT_MS: Milliseconds = 10_000;

/** Does not run it. Usage (2) without Python or for invalid code; a slow Python is accepted. */
export async function checkPythonFile(
  endpoint: string,
  command: readonly string[],
  cwd: string,
  startProcess: StartProcess,
  clock: Clock,
): Promise<void> {
  const [python = '', runner = '', file = ''] = command;
  let printed = '';
  const process = startProcess({
    command: [python, runner, '--check', file],
    cwd,
    env: {},
    onStdout: () => undefined,
    onStderr: (text) => {
      printed = (printed + text).slice(0, 4000);
    },
  });
  const timeout = clock.deadline(CHECK_TIMEOUT_MS);
  timeout.signal.addEventListener('abort', () => void process.stop(), { once: true });
  const { code, error } = await process.ended;
  timeout.cancel();
  if (error === 'ENOENT')
    throw usage(
      `endpoint "${endpoint}": there is no program ${JSON.stringify(python)}`,
      'Install Python 3.8 or newer, or name the program with --python PATH.',
    );
  if (error !== undefined)
    throw usage(
      `endpoint "${endpoint}": ${JSON.stringify(python)} cannot be run: ${error}`,
      'Name Python with --python PATH.',
    );
  if (code !== undefined && code !== 0)
    throw usage(`endpoint "${endpoint}": Python cannot read ${file}`, printed.trim());
}
