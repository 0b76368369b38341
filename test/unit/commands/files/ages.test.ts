import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';

test('an advance of the clock of the local service makes no file older: its times are of this machine', async () => {
  // The times of files are real ones, and so is the clock.
  const account = createAccount(createTestClock(Date.now()));
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'one'), 'one');
  await local(account, 'local clock advance 5h');
  expect((await account('files cp one datasets:one', { cwd })).code).toBe(0);
  const { out } = await account('files ls datasets: --fields path');
  expect(out).toContain('one');
  expect((await account('files ls datasets:')).out).toMatch(/^3 B\s+0s\s+one$/m);
});
