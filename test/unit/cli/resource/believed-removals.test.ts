/** Only 204 is called a removal. */
import { expect, test } from 'vitest';
import { json, pointedAt, serve, text, type Behaviour } from '../../../support/servers/scripted-server.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

const REMOVALS: readonly (readonly [string, readonly string[]])[] = [
  ['pod', ['pods', 'terminate', 'a', '--yes']],
  ['volume', ['volumes', 'delete', 'a', '--yes', '--force']],
  ['endpoint', ['endpoints', 'delete', 'a', '--yes']],
  ['cluster', ['clusters', 'delete', 'a', '--yes']],
  ['template', ['templates', 'delete', 'a', '--yes']],
  ['registry', ['registries', 'delete', 'a', '--yes']],
  ['secret', ['secrets', 'delete', 'a', '--yes']],
];

const ROW = json({ id: 'a', name: 'a', status: 'RUNNING' });

async function run(argv: readonly string[], removal: Behaviour) {
  const server = await serve([
    (to) => {
      const { method, url } = to.arrival;
      if (method === 'DELETE') removal(to);
      else if (/\/(pods|secrets|serverless|templates)(\?.*)?$/.test(url))
        json({ pods: [], secrets: [], endpoints: [], templates: [] })(to);
      else ROW(to);
    },
  ]);
  return await berth(argv, { env: pointedAt(server.url) });
}

test.each(REMOVALS)('a removal of a %s is done after 204, and unknown after 200', async (_, argv) => {
  const [done, unknown] = [await run(argv, text('', 204)), await run(argv, json({}))];
  expect([done.code, unknown.code], done.err).toEqual([0, 8]);
  expect(unknown.err).toMatch(/answered 200 to the removal of a, not 204\n.*find out: berth /);
});

test('a delegation is believed to be revoked by any status of success, because none is published', async () => {
  const argv = ['registries', 'delegations', 'revoke', 'a', '--yes'];
  expect((await run(argv, json({}))).code).toBe(0);
});
