import { berth, type CommandLine } from '../../../core/message.ts';
/** Command lines that hints name. */

export const waitLine = (endpoint: string, ...jobs: readonly string[]): CommandLine =>
  berth`jobs wait ${endpoint} ${jobs}`;

export const statusLine = (endpoint: string, job: string): CommandLine => berth`jobs status ${endpoint} ${job}`;

/** The queue has no list of jobs: only the counts of its health tell whether a submission arrived. */
export const healthLine = (endpoint: string): CommandLine => berth`health ${endpoint}`;
