import { expect, test } from 'vitest';
import { berth } from '../../../support/worlds/run-berth.ts';

test('billing endpoints names the command that has the cost of own endpoints, and only as a table', async () => {
  const says =
    /Total .*\nThis is of public model endpoints\. What your own endpoints cost: berth --local billing serverless\n/;
  expect((await berth(['--local', 'billing', 'endpoints'])).err).toMatch(says);
  expect((await berth(['--local', 'billing', 'endpoints', '--json'])).err).toBe('');
  expect((await berth(['--local', 'billing', 'serverless'])).err).not.toContain('public model');
});
