/** A removal that is answered otherwise than by 204 is looked at before it is called done. */
import { describe, expect, it } from 'vitest';
import { json, pointedAt, problem, serve, text, type Behaviour } from '../../../support/servers/scripted-server.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

const REMOVALS: readonly (readonly [string, readonly string[], string])[] = [
  ['pod', ['pods', 'terminate', 'a', '--yes'], '/v2/pods/a'],
  ['volume', ['volumes', 'delete', 'a', '--yes', '--force'], '/v2/network-volumes/a'],
  ['endpoint', ['endpoints', 'delete', 'a', '--yes'], '/v2/serverless/a'],
  ['cluster', ['clusters', 'delete', 'a', '--yes'], '/v2/clusters/a'],
  ['template', ['templates', 'delete', 'a', '--yes'], '/v2/templates/a'],
  ['registry', ['registries', 'delete', 'a', '--yes'], '/v2/registries/a'],
  ['secret', ['secrets', 'delete', 'a', '--yes'], '/v2/account/secrets/a'],
];

const ROW = json({ id: 'a', name: 'a', status: 'RUNNING' });

/** Answers the DELETE with one behaviour, and the reads of the row after it with another. */
async function run(argv: readonly string[], removal: Behaviour, after: Behaviour) {
  let wasRemoved = false;
  const server = await serve([
    (to) => {
      const { method, url } = to.arrival;
      if (method === 'DELETE') wasRemoved = true;
      if (method === 'DELETE') removal(to);
      else if (/\/(pods|secrets|serverless|templates)(\?.*)?$/.test(url))
        json({ pods: [], secrets: [], endpoints: [], templates: [] })(to);
      else (wasRemoved ? after : ROW)(to);
    },
  ]);
  const ran = await berth(argv, { env: pointedAt(server.url) });
  return { ...ran, sent: server.seen.map(({ method, url }) => `${method} ${url}`) };
}

describe.each(REMOVALS)('%s', (_, argv, path) => {
  it('is not called removed after 200 {} while it is still there: 8', async () => {
    const ran = await run(argv, json({}), ROW);
    expect(ran.code, ran.err).toBe(8);
    expect(ran.err).toMatch(/answered 200 to the removal of a, not 204, and it is still there/);
    expect(ran.sent.slice(ran.sent.indexOf(`DELETE ${path}`))).toContain(`GET ${path}`);
  });

  it('is removed after 200 {} once a read says 404', async () => {
    const ran = await run(argv, json({}), problem(404, 'gone'));
    expect(ran.code, ran.err).toBe(0);
  });

  it('is believed after 204 without a read', async () => {
    const ran = await run(argv, text('', 204), problem(404, 'gone'));
    const after = ran.sent.slice(ran.sent.indexOf(`DELETE ${path}`));
    expect([ran.code, after.includes(`GET ${path}`)], ran.err).toEqual([0, false]);
  });
});

it('a delegation is believed to be revoked by any status of success, because none is published', async () => {
  const argv = ['registries', 'delegations', 'revoke', 'a', '--yes'];
  expect((await run(argv, json({}), json({ delegations: [{ id: 'a' }] }))).code).toBe(0);
});
