import { type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { asText } from '../../core/text.ts';
import type { RunProgram } from '../../storage/s3/credentials/credential-process.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { createStartProcess } from './start-process.ts';

const TIMEOUT_MS: Milliseconds = MINUTE_MS;
/** Characters of each stream. */
const MAX_PRINTED = 64 * 1024;

/** Keeps at most 64 KiB of each stream. */
export function createRunProgram(runtime: Pick<Runtime, 'env' | 'platform' | 'clock' | 'cwd'>): RunProgram {
  const startProcess = createStartProcess(runtime);
  return async (words) => {
    const printed = { stdout: '', stderr: '' };
    let error: string | undefined;
    const process = startProcess({
      command: words,
      cwd: runtime.cwd,
      env: {},
      onStdout: asText((text) => {
        printed.stdout = (printed.stdout + text).slice(0, MAX_PRINTED);
      }),
      onStderr: (text) => {
        printed.stderr = (printed.stderr + text).slice(-MAX_PRINTED);
      },
    });
    const timeout = runtime.clock.deadline(TIMEOUT_MS);
    const onTimeout = (): void => {
      error = 'it did not end within a minute';
      void process.stop();
    };
    timeout.signal.addEventListener('abort', onTimeout, { once: true });
    const end = await process.ended;
    timeout.cancel();
    return { ...end, ...printed, error: end.error ?? error };
  };
}
