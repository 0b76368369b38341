/** Command lines that hints name. A batch is named by its results file. */
import { berth, type CommandLine, flags } from '../../core/message.ts';

/** `local`: it runs on the local service in this process. */
export const resumeLine = (local: boolean, results: string, ...more: readonly string[]): CommandLine =>
  berth`${flags(local ? ['--local'] : [])} jobs batch resume ${results} ${flags(more)}`;

export const batchStatusLine = (results: string): CommandLine => berth`jobs batch status ${results}`;
