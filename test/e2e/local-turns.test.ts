import { writeFile } from 'node:fs/promises';
import path from 'node:path';
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

test('a batch of 900 items runs with --local while another command asks', async () => {
  const folder = await temporaryFolder();
  const env = cleanEnvironmentIn(folder);
  const [input, out] = [path.join(folder, 'in.jsonl'), path.join(folder, 'out.jsonl')];
  await writeFile(input, Array.from({ length: 900 }, (_, at) => `{"n":${String(at)}}\n`).join(''));
  const batch = berth(['--local', 'jobs', 'batch', 'run', 'echo', '--input', input, '--out', out], { env });
  expect((await berth(['--local', 'pods', 'list'], { env })).code).toBe(0);
  const { code, stdout, stderr } = await batch;
  expect([code, stdout + stderr]).toEqual([0, expect.stringMatching(/completed\s+900/)]);
});
