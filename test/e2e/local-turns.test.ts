import { expect, test } from 'vitest';
import { berth, cleanEnvironmentIn, temporaryFolder } from './support.ts';

test('commands with --local take turns: one that waits does not stop another', async () => {
  const env = cleanEnvironmentIn(await temporaryFolder());
  const job = (await berth(['--local', 'jobs', 'run', 'sleep', '--input', '{"seconds":3600}'], { env })).stdout.trim();
  const waiting = berth(['--local', 'jobs', 'wait', 'sleep', job], { env });
  const names = ['a', 'b', 'c'];
  const created = await Promise.all(
    names.map((name) =>
      berth(['--local', 'volumes', 'create', name, '--size', '10', '--data-center', 'EU-WEST-1'], { env }),
    ),
  );
  expect(created.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect((await berth(['--local', 'jobs', 'cancel', 'sleep', job], { env })).code).toBe(0);
  expect((await waiting).code).toBe(11);
  const { stdout } = await berth(['--local', 'volumes', 'list', '--fields', 'name', '-o', 'jsonl'], { env });
  for (const name of names) expect(stdout).toContain(`{"name":"${name}"}`);
});
