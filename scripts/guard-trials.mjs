/**
 * `npm run guard-trials`: simulates guards for a month, and 200 waits for capacity, with another seed each time; then it
 * kills the built program 200 times in a create with a key. `npm test` simulates a day and 20 waits, and kills 10 times.
 *
 *   npm run guard-trials -- --seed 7 --days 10 --rounds 1
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { build, install, root } from './prepare.mjs';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    days: { type: 'string', default: '30' },
    waits: { type: 'string', default: '200' },
    kills: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '3' },
  },
});

const TRIALS = ['test/unit/commands/guard/month.test.ts', 'test/unit/commands/pods/capacity-trials.test.ts'];

await install();

/** Runs tests with an environment; ends with 1 where they fail. */
function run(args, env) {
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout', '0', ...args],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } },
  );
  if (status !== 0) process.exit(1);
}

for (let round = 0; round < Number(values.rounds); round++)
  run(TRIALS, {
    BERTH_GUARD_SEED: String(Number(values.seed) + round),
    BERTH_GUARD_DAYS: values.days,
    BERTH_CAPACITY_WAITS: values.waits,
  });

await build();
run(['--config', 'vitest.e2e.config.ts', 'test/e2e/create-kill.test.ts'], { BERTH_CREATE_KILLS: values.kills });
