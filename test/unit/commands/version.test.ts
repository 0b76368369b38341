import { expect, test } from 'vitest';
import { version } from '../../../package.json';
import { berth } from '../../support/worlds/run-berth.ts';

test('berth version prints the version of the package', async () => {
  const { code, out } = await berth(['version', '--json']);
  expect([code, JSON.parse(out)]).toEqual([0, { installed: version }]);
});
