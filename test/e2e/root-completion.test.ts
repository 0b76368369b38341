import { chownSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { berth, cleanEnvironment, temporaryFolder } from './support.ts';

test.skipIf(process.geteuid?.() !== 0)(
  'completion --install of root in the home of another user is refused',
  async () => {
    const home = await temporaryFolder();
    chownSync(home, 65_534, 65_534);
    const { code, stderr } = await berth(['completion', 'bash', '--install'], {
      env: { ...(await cleanEnvironment()), HOME: home },
    });
    expect(code).toBe(2);
    expect(stderr).toContain('is the home folder of another user');
    expect(readdirSync(home)).toEqual([]);
  },
);
