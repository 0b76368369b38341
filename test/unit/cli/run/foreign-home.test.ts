import { expect, test } from 'vitest';
import { berth } from '../../../support/worlds/run-berth.ts';

const SAID = '/home/ada is the home folder of another user: root uses its own profiles, in ';
const LIST = ['--local', 'pods', 'list'];

test('root in the home of another user is told on a terminal whose profiles are used', async () => {
  const { code, err } = await berth(LIST, { foreignHome: '/home/ada', tty: true, columns: 300 });
  expect([code, err]).toEqual([0, expect.stringContaining(SAID)]);
});

test.each<readonly [string, readonly string[], object]>([
  ['in its own home', LIST, { tty: true }],
  ['in a script', LIST, { foreignHome: '/home/ada' }],
  ['with --quiet', [...LIST, '--quiet'], { foreignHome: '/home/ada', tty: true }],
])('nothing is said %s', async (_, argv, options) => {
  expect((await berth(argv, options)).err).not.toContain('another user');
});
