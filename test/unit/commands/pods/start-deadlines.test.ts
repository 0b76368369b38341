import { expect, test } from 'vitest';
import { POD_BODY } from '../../../support/local/service-fixture.ts';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

test('a deadline is added to the variables that the pod has then, not to those of the list', async () => {
  const lagging: { list?: string } = {};
  const remote = await remoteService(({ method, url }) =>
    lagging.list !== undefined && method === 'GET' && /^\/v2\/pods(\?|$)/.test(url)
      ? { answer: lagging.list }
      : undefined,
  );
  const { body } = await remote.send('POST', '/v2/pods', { ...POD_BODY, env: { MODE: 'old' } });
  const id = String(body['id']);
  remote.clock.advance(60_000);
  await remote.send('POST', `/v2/pods/${id}/action`, { action: 'stop' });
  remote.clock.advance(60_000);
  lagging.list = JSON.stringify((await remote.send('GET', '/v2/pods')).body);
  await remote.send('PATCH', `/v2/pods/${id}`, { env: { MODE: 'new' } });

  const ran = await berthIn(createTestWorld({ env: remote.env }), [
    ...['pods', 'start', '--match', 'p', '--stop-after', '4h', '--yes', '--json'],
  ]);
  expect([ran.code, JSON.parse(ran.out)]).toMatchObject([0, [{ ok: true }]]);
  expect((await remote.send('GET', `/v2/pods/${id}`)).body['env']).toEqual({ MODE: 'new', BERTH_STOP_AFTER: '4h' });
});
