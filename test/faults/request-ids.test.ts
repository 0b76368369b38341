import { expect, test } from 'vitest';
import { json, problem } from '../support/servers/scripted-server.ts';
import { fails, works } from '../support/worlds/expect-run.ts';

const ID = /^[\da-f]{12}-\d+$/;
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('every request has an id; an error names it', async () => {
  const { error, servers } = await fails(['pods', 'get', 'pod1'], { exit: 3, says: [/403/] }, [problem(403, 'no')]);
  const [first, second] = servers.map(({ seen }) => String(seen[0]?.headers['x-request-id']));
  expect([first, second]).toEqual([expect.stringMatching(ID), expect.stringMatching(ID)]);
  expect(error.request).toMatchObject({ id: second });
});

test('all attempts of a request have the same id, and --verbose shows it', async () => {
  const { err, server } = await works(
    ['--verbose', 'pods', 'get', 'pod1'],
    [problem(503, 'wait'), json({ id: 'pod1' })],
  );
  const ids = server.seen.map(({ headers }) => headers['x-request-id']);
  expect(ids).toEqual([expect.stringMatching(ID), ids[0]]);
  expect(err.split(`x-request-id: ${String(ids[0])}`).length).toBe(3);
});

test('each request of a command has an id of its own', async () => {
  const { server } = await works(
    ['jobs', 'run', 'ep', '--input', '{}', '--wait'],
    [json({ id: 'job-1', status: 'IN_QUEUE' }), json({ id: 'job-1', status: 'COMPLETED', output: 1 })],
  );
  const [first, second] = server.seen.map(({ headers }) => String(headers['x-request-id']));
  expect([first, second]).toEqual([expect.stringMatching(/-1$/), `${String(first).replace(/1$/, '')}2`]);
});

test('an id that the user gives is sent', async () => {
  const { server } = await works(['api', 'GET', '/v2/pods', '--header', 'X-Request-Id: mine'], [json({})]);
  expect(server.seen[0]?.headers['x-request-id']).toBe('mine');
});

test.each([
  ['a valid trace', { TRACEPARENT: TRACE, TRACESTATE: 'a=1' }, [TRACE, 'a=1']],
  ['a trace without state', { TRACEPARENT: TRACE }, [TRACE, undefined]],
  ['no trace', {}, [undefined, undefined]],
  ['zero ids', { TRACEPARENT: `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, TRACESTATE: 'a=1' }, [undefined, undefined]],
  ['a line break', { TRACEPARENT: `${TRACE}\r\nx: y` }, [undefined, undefined]],
  ['a state with a line break', { TRACEPARENT: TRACE, TRACESTATE: 'a=1\nb' }, [TRACE, undefined]],
])('%s of the environment is passed on when it is valid', async (_, env, sent) => {
  const { server } = await works(['pods', 'get', 'pod1'], [json({ id: 'pod1' })], { env });
  const { traceparent, tracestate } = server.seen[0]?.headers ?? {};
  expect([traceparent, tracestate]).toEqual(sent);
});
