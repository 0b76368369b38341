import { describe, expect, test } from 'vitest';
import { JOBS_ONLY_KEY, LOCAL_KEY, READ_ONLY_KEY } from '../../../../src/local/http/admission.ts';
import { workerKeyOf } from '../../../../src/local/state/state.ts';
import { attached, statusOf, submit } from '../../../support/local/attached-service.ts';
import { fetchFrom } from '../../../support/local/fetch-from.ts';

const PATHS: readonly (readonly [string, string])[] = [
  ['GET', '/worker/mine/job-take/w'],
  ['GET', '/worker/mine/job-take-batch/w?batch_size=2'],
  ['GET', '/worker/mine/job-stop/w'],
  ['GET', '/worker/mine/ping/w'],
  ['POST', '/worker/mine/job-done/w/JOB'],
  ['POST', '/worker/mine/job-stream/w/JOB'],
];

test.each([
  ['no key', undefined, 401],
  ["the client's key", `Bearer ${LOCAL_KEY}`, 403],
  ["the client's key, raw", LOCAL_KEY, 403],
  ['a key for jobs', `Bearer ${JOBS_ONLY_KEY}`, 403],
  ['a read-only key', `Bearer ${READ_ONLY_KEY}`, 403],
  ['any other text', 'something', 401],
  ['the key of another endpoint', 'OTHER', 401],
  ["the worker's key after Bearer", 'Bearer WORKER', 401],
  ["the beginning of the worker's key", 'CUT', 401],
])('a worker request with %s is refused, and changes nothing', async (_, given, status) => {
  const local = await attached();
  const id = await submit(local, {});
  const key = workerKeyOf(local.state, 'mine');
  const authorization = given
    ?.replace('WORKER', key)
    .replace('OTHER', workerKeyOf(local.state, 'echo'))
    .replace('CUT', key.slice(0, -1));
  for (const [method, path] of PATHS) {
    const answer = await fetchFrom(
      local.service,
      new Request(`http://localhost${path.replace('JOB', id)}`, {
        method,
        headers: authorization === undefined ? {} : { Authorization: authorization },
        ...(method === 'POST' ? { body: '{"output":1}' } : {}),
      }),
    );
    expect([path, answer.status]).toEqual([path, status]);
    expect(await answer.text()).not.toContain(key);
  }
  expect(await statusOf(local, id)).toMatchObject({ status: 'IN_QUEUE' });
});

describe("the worker's key opens nothing else", () => {
  test.each([
    ['GET', '/v2/pods'],
    ['GET', '/v2/mine/health'],
    ['POST', '/v2/mine/run'],
    ['POST', '/v2/mine/purge-queue'],
    ['GET', '/local/status'],
    ['GET', '/local/workers/mine'],
    ['POST', '/local/reset'],
  ])('%s %s', async (method, path) => {
    const local = await attached();
    const key = workerKeyOf(local.state, 'mine');
    for (const authorization of [key, `Bearer ${key}`]) {
      const request = new Request(`http://localhost${path}`, {
        method,
        headers: { Authorization: authorization },
        ...(method === 'POST' ? { body: '{"input":{}}' } : {}),
      });
      expect((await fetchFrom(local.service, request)).status).toBe(401);
    }
  });
});

describe('what a program needs to attach', () => {
  test.each([
    ['/local/workers/nowhere', 404],
    ['/local/workers/echo', 409],
    ['/local/workers/mine?prefix=1', 400],
    ['/local/workers/mine?prefix=', 400],
    ['/local/workers/mine?prefix=A%3B', 400],
  ])('%s is refused with %i', async (path, status) => {
    const local = await attached();
    expect((await local.send('GET', path)).status).toBe(status);
  });
});
