import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createState } from '../../../../src/local/state/state.ts';
import { fileStore } from '../../../support/local/file-store.ts';
import { berth } from '../../../support/worlds/run-berth.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

test.each([3, 4, 5])('JSON of another program with version %i is refused, and left as it is', async (version) => {
  const path = join(temporaryDirectory(), 'app.js.map');
  const map = JSON.stringify({ version, sources: ['a.ts'], names: [], mappings: 'AAAA' });
  writeFileSync(path, map);
  const change = fileStore(path).transact(
    () => createState(0),
    (state) => (state.serial += 1),
  );
  await expect(change).rejects.toMatchObject({ exit: 14, message: expect.stringContaining('app.js.map') as string });
  expect(readFileSync(path, 'utf8')).toBe(map);
});

test.each([
  ['lines', '{"version":6,"stamp":"x","since":0,"generation":"00000000"}\n{"fields":{},"whole":true}\n'],
  ['one document', '{"version":4,"since":0,"queue":{}}'],
])('a state of an earlier version in %s is refused in one line, with the command that resets it', async (_, old) => {
  const env = { BERTH_DATA_DIR: temporaryDirectory() };
  const path = join(env.BERTH_DATA_DIR, 'local', 'state.json');
  mkdirSync(dirname(path));
  writeFileSync(path, old);
  const refused = await berth(['--local', 'pods', 'list'], { env });
  expect([refused.code, refused.err.split('\n')]).toEqual([
    14,
    [
      expect.stringContaining(`the local service's state is of another version of berth: ${path}`),
      expect.stringContaining('berth --local local reset'),
      '',
    ],
  ]);
  expect(readFileSync(path, 'utf8')).toBe(old);
  expect((await berth(['--local', 'local', 'reset', '--yes'], { env })).code).toBe(0);
  expect((await berth(['--local', 'pods', 'list'], { env })).code).toBe(0);
});
