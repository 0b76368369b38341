/** Command lines that hints name. A batch is named by its `reference`, which says where it is. */
import { berth, flags, words, type CommandLine, type Words } from '../../core/message.ts';

/** Resumes a batch, which `reference` names; `local` when it runs on the local service in this process. */
export const resumeLine = (local: boolean, reference: readonly string[], ...more: readonly string[]): CommandLine =>
  berth`${flags(local ? ['--local'] : [])} jobs batch resume ${wordsOf(reference)} ${flags(more)}`;

export const batchReportLine = (reference: readonly string[]): CommandLine =>
  berth`jobs batch report ${wordsOf(reference)}`;

export const batchStatusLine = (reference: readonly string[]): CommandLine =>
  berth`jobs batch status ${wordsOf(reference)}`;

/** Goes on with a batch of a store as one more driver. */
export const workLine = (reference: readonly string[]): CommandLine => berth`jobs batch work ${wordsOf(reference)}`;

/** Stops the drivers of a batch of a store. */
export const cancelLine = (reference: readonly string[]): CommandLine => berth`jobs batch cancel ${wordsOf(reference)}`;

/** Removes what was written for a batch of a store and not published. */
export const cleanLine = (reference: readonly string[]): CommandLine => berth`jobs batch clean ${wordsOf(reference)}`;

/** What names a batch, and the flags that say where it is. */
const wordsOf = ([batch = '', ...where]: readonly string[]): Words => words`${batch} ${flags(where)}`;
