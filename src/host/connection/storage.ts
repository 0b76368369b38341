import { version } from '../../../package.json';
import type { DurableFiles, Sink, StorageOptions } from '../../core/context.ts';
import { say, type TerminalText } from '../../core/safe-text.ts';
import { traceLine, type TraceEvent } from '../../http/trace.ts';
import type { Settings } from '../../settings/create-settings.ts';
import { openStorage, type OpenStorage, type StoragePorts } from '../../storage/open-storage.ts';
import { createRunProgram } from '../process/run-program.ts';
import type { Runtime } from '../runtime/runtime.ts';

export interface HostStorageOptions {
  readonly runtime: Pick<Runtime, 'env' | 'home' | 'clock' | 'random' | 'platform' | 'cwd' | 'user' | 'exitsAfterRun'>;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  /** For the traces of `--verbose`. */
  readonly stderr: Sink<TerminalText>;
  readonly files: DurableFiles;
}

/** Opens storage with the settings of this run. */
export const openHostStorage = (host: HostStorageOptions, options: StorageOptions): OpenStorage =>
  openStorage(storagePorts(host), options);

/** What storage uses of the host, with the settings of this run. */
export function storagePorts({ runtime, settings, signal, stderr, files }: HostStorageOptions): StoragePorts {
  const { env, home, clock, random } = runtime;
  const trace = (event: TraceEvent): void => void stderr.write(say`${traceLine(event)}\n`);
  return {
    env,
    home,
    clock,
    random,
    files,
    runProgram: createRunProgram(runtime),
    signal,
    userAgent: `berth/${version}`,
    retries: settings.get('retries'),
    timeoutMs: settings.get('timeout'),
    trace: settings.get('verbose') ? trace : undefined,
  };
}
