import { expect, test } from 'vitest';
import { json, pointedAt, routed, serve } from '../../../support/servers/scripted-server.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

async function world(members: object) {
  const server = await serve([routed({ 'GET /v2/pods': json({ pods: [], ...members }) })]);
  return createTestWorld({ env: pointedAt(server.url) });
}

test.each(['nextToken', 'next', 'cursor', 'page', 'totalCount', 'hasMore', 'links', 'continuation'])(
  'a list with the unknown member %s is a warning',
  async (name) => {
    const at = await world({ [name]: 'x' });
    const { err } = await berthIn(at, ['pods', 'list', '--json']);
    expect(err).toMatch(new RegExp(`"pods" has members .* look like pages: ${name}\\. It may be incomplete`));
  },
);

test.each([{}, { pagination: { nextCursor: null, hasNextPage: false } }, { summary: {} }, { metadata: {} }])(
  'a list with %j is no warning',
  async (members) => {
    expect((await berthIn(await world(members), ['pods', 'list', '--json'])).err).toBe('');
  },
);
