/** Command lines that hints name. */
import { commandLine } from '../../cli/words.ts';

export const waitLine = (endpoint: string, ...jobs: readonly string[]): string =>
  commandLine('jobs', 'wait', endpoint, ...jobs);

export const statusLine = (endpoint: string, job: string): string => commandLine('jobs', 'status', endpoint, job);

/** The queue has no list of jobs: only the counts of its health tell whether a submission arrived. */
export const healthLine = (endpoint: string): string => commandLine('health', endpoint);
