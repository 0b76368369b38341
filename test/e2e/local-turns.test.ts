import { expect, test } from 'vitest';
import { berth, cleanEnvironmentIn, temporaryFolder } from './support.ts';

test('commands with --local take turns: one that waits does not stop another', async () => {
  const env = cleanEnvironmentIn(await temporaryFolder());
  const waiting = berth(['--local', 'jobs', 'run', 'sleep', '--input', '{"seconds":4}', '--wait'], { env });
  const names = ['a', 'b', 'c'];
  const created = await Promise.all(
    names.map((name) =>
      berth(['--local', 'volumes', 'create', name, '--size', '10', '--data-center', 'EU-WEST-1'], { env }),
    ),
  );
  expect(created.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, expect.stringContaining('')]));
  expect((await waiting).code).toBe(0);
  const { stdout } = await berth(['--local', 'volumes', 'list', '--fields', 'name', '-o', 'jsonl'], { env });
  for (const name of names) expect(stdout).toContain(`{"name":"${name}"}`);
});
