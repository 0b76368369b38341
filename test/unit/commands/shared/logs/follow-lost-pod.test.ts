import { expect, test } from 'vitest';
import { berth } from '../../../../support/worlds/run-berth.ts';
import { pointedAt, problem, routed, serve, text } from '../../../../support/servers/scripted-server.ts';

test('following a log ends after ten failed reads of the pod', async () => {
  const server = await serve([
    routed({
      'GET /v2/pods/p1/logs': text('id: 1\ndata: {"line":"one"}\n\n', 200, { 'content-type': 'text/event-stream' }),
      'GET /v2/pods/p1': problem(503, 'away'),
    }),
  ]);
  const argv = ['pods', 'logs', 'p1', '--follow', '--retries', '0'];
  const { code, out, err } = await berth(argv, { env: pointedAt(server.url) });
  expect([code, out.match(/one/g)?.length]).toEqual([7, 1]);
  expect(err).toContain('10 times in a row');
});
