import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createLocalService, LOCAL_KEY, memoryStore, type Store } from '../../../../src/local/index.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { fetchFrom } from '../../../support/local/fetch-from.ts';
import { fileStore, SHORT_TURNS } from '../../../support/local/file-store.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

let folder = '';
beforeEach(() => {
  folder = temporaryDirectory();
});

const clock = createTestClock();

/** A service of its own over a store, as each process has one. */
function client(store: Store): (request: string, body?: string) => Promise<{ status: number; text: string }> {
  const service = createLocalService({ clock, random: () => 0.5, store, queueLimits: false });
  return async (request, body) => {
    const [method = '', path = ''] = request.split(' ');
    const answer = await fetchFrom(
      service,
      new Request(`http://127.0.0.1:8181${path}`, {
        method,
        headers: { authorization: `Bearer ${LOCAL_KEY}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body }),
      }),
    );
    return { status: answer.status, text: await answer.text() };
  };
}

const idOf = (text: string): string => (JSON.parse(text) as { id: string }).id;

test('a job goes from one process to the next through the state file, its numbers exact', async () => {
  const path = join(folder, 'state.json');
  const submitted = await client(fileStore(path, SHORT_TURNS))('POST /v2/demo/run', '{"input":{"n":9007199254740993}}');
  expect(submitted).toMatchObject({ status: 200 });
  const id = idOf(submitted.text);
  clock.advance(10_000);
  const { text } = await client(fileStore(path, SHORT_TURNS))(`GET /v2/demo/status/${id}`);
  expect(text).toContain('"output":{"n":9007199254740993}');
  expect(text).toContain('"status":"COMPLETED"');
});

test('an unknown job or endpoint is 404, and a body that breaks off 400, in the format of the queue API', async () => {
  const call = client(memoryStore());
  expect(await call('GET /v2/echo/status/none')).toEqual({
    status: 404,
    text: '{"error":"job none not found: unknown on this endpoint, or expired"}',
  });
  expect(await call('POST /v2/nowhere/run', '{"input":{}}')).toEqual({
    status: 404,
    text: '{"error":"endpoint nowhere not found"}',
  });
  for (const path of ['GET /v2/constructor/health', 'GET /v2/echo/status/constructor', 'POST /v2/nowhere/purge-queue'])
    expect([path, (await call(path)).status]).toEqual([path, 404]);
  expect(await call('POST /v2/echo/run', '{"input":')).toMatchObject({ status: 400 });
});

test('a caller of stream that has disconnected before its answer leaves the chunks to the next one', async () => {
  const service = createLocalService({ clock, random: () => 0.5, store: memoryStore(), queueLimits: false });
  const send = (method: string, path: string, more: RequestInit = {}): Promise<Response> =>
    fetchFrom(
      service,
      new Request(`http://127.0.0.1:8181/v2/stream/${path}`, {
        method,
        headers: { authorization: `Bearer ${LOCAL_KEY}` },
        ...more,
      }),
    );
  const id = idOf(await (await send('POST', 'run', { body: '{"input":{"chunks":3}}' })).text());
  clock.advance(10_000);
  const controller = new AbortController();
  const lost = send('GET', `stream/${id}`, { signal: controller.signal });
  controller.abort();
  await lost.catch(() => undefined);
  expect(JSON.parse(await (await send('GET', `stream/${id}`)).text())).toHaveLength(3);
});
