import { expect, test } from 'vitest';
import { berth } from '../../../support/worlds/run-berth.ts';

test.each(['pods list', 'pods get pod-train', 'volumes list --json', 'help pods'])(
  'says that nothing was printed where standard output is closed: %s',
  async (line) => {
    const { err } = await berth(['--local', ...line.split(' ')], { stdoutClosed: true });
    expect(err).toContain('Standard output is closed: nothing was printed there.');
  },
);

test('says nothing of it where there is nothing to print', async () => {
  const { err } = await berth(['config', 'set', 'timeout', '20s'], { stdoutClosed: true });
  expect(err).toBe('timeout is 20s in profile default.\n');
});
