/** Command lines that hints name. */
import { commandLine } from '../../../cli/words.ts';

/** Resumes a batch; `local` when it runs on the local service in this process. */
export const resumeLine = (local: boolean, path: string, ...flags: readonly string[]): string =>
  commandLine(...(local ? ['--local'] : []), 'jobs', 'batch', 'resume', path, ...flags);

export const batchStatusLine = (path: string): string => commandLine('jobs', 'batch', 'status', path);
