import { describe, test } from 'vitest';
import { KILLED_HANDLER, serveWhileKilled } from './kill-workers.ts';
import { canTestWorkers } from './support.ts';

describe.skipIf(!canTestWorkers)('workers that are killed', () => {
  test('every job ends, each execution is accounted for, and `retried` equals the kills that hit a job', () =>
    serveWhileKilled(KILLED_HANDLER, 100));
});
