/** Command lines that hints name. */
import { commandLine } from '../../../cli/words.ts';

/** Resumes a batch, which `reference` names; `local` when it runs on the local service in this process. */
export const resumeLine = (local: boolean, reference: readonly string[], ...flags: readonly string[]): string =>
  commandLine(...(local ? ['--local'] : []), 'jobs', 'batch', 'resume', ...reference, ...flags);

export const batchReportLine = (reference: readonly string[]): string =>
  commandLine('jobs', 'batch', 'report', ...reference);

export const batchStatusLine = (reference: readonly string[]): string =>
  commandLine('jobs', 'batch', 'status', ...reference);
