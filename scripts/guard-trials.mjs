/**
 * `npm run guard-trials`: simulates guards for a month, and 200 waits for capacity, with another seed each time. `npm test`
 * simulates a day and 20 waits.
 *
 *   npm run guard-trials -- --seed 7 --days 10 --rounds 1
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { install, root } from './prepare.mjs';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    days: { type: 'string', default: '30' },
    waits: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '3' },
  },
});

const TRIALS = ['test/unit/commands/guard/month.test.ts', 'test/unit/commands/pods/capacity-trials.test.ts'];

await install();
for (let round = 0; round < Number(values.rounds); round++) {
  const seed = String(Number(values.seed) + round);
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout', '0', ...TRIALS],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        BERTH_GUARD_SEED: seed,
        BERTH_GUARD_DAYS: values.days,
        BERTH_CAPACITY_WAITS: values.waits,
      },
    },
  );
  if (status !== 0) process.exit(1);
}
