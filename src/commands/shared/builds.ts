/** The statuses of builds (additions 9). */
import { stringAt, type Json } from '../../core/json.ts';

const LIVE = ['PENDING', 'BUILDING', 'UPLOADING', 'TESTING'];
const FAILED = ['FAILED', 'TEST_FAILED'];
const FINAL = ['COMPLETED', 'CANCELLED', ...FAILED];

export const BUILD_STATUSES: readonly string[] = [...LIVE, ...FINAL];

const statusOf = (build: Json): string => stringAt(build, 'status') ?? '';

/** Whether nothing about a build changes any more. A status that is not known may change. */
export const isFinal = (build: Json): boolean => FINAL.includes(statusOf(build));

export const hasFailed = (build: Json): boolean => FAILED.includes(statusOf(build));

export const wasCancelled = (build: Json): boolean => statusOf(build) === 'CANCELLED';
