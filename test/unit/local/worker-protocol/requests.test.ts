import { describe, expect, test } from 'vitest';
import type { LocalServiceOptions } from '../../../../src/local/service.ts';
import { attachWorker } from '../../../support/local/protocol-worker.ts';
import { localFixture, type LocalFixture } from '../../../support/local/service-fixture.ts';

const fixture = (options: Partial<LocalServiceOptions> = {}): LocalFixture =>
  localFixture({ handlers: { mine: { kind: 'attach' } }, ...options });

const submit = async ({ send }: LocalFixture, input: unknown, more = {}): Promise<string> =>
  String((await send('POST', '/v2/mine/run', { input, ...more })).body['id']);

const statusOf = async ({ send }: LocalFixture, id: string): Promise<Readonly<Record<string, unknown>>> =>
  (await send('GET', `/v2/mine/status/${id}`)).body;

describe('a worker that takes jobs', () => {
  test('takes a waiting job, which is then IN_PROGRESS, and completes it', async () => {
    const local = fixture();
    const worker = await attachWorker(local.service, 'mine');
    const id = await submit(local, { n: 1 });
    local.clock.advance(250);
    expect(await worker.take()).toEqual({ id, input: { n: 1 } });
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_PROGRESS', delayTime: 250 });
    local.clock.advance(100);
    expect(await worker.done(id, { twice: 2 })).toMatchObject({ status: 200 });
    expect(await statusOf(local, id)).toMatchObject({
      status: 'COMPLETED',
      delayTime: 250,
      executionTime: 100,
      output: { twice: 2 },
    });
  });

  test('is answered as soon as a job arrives', async () => {
    const local = fixture();
    const worker = await attachWorker(local.service, 'mine');
    const taken = worker.take();
    const id = await submit(local, {});
    expect(await taken).toEqual({ id, input: {} });
    expect(local.clock.monotonic()).toBe(0);
  });

  test('is answered 204 when the time of a held request is over', async () => {
    const local = fixture();
    const worker = await attachWorker(local.service, 'mine');
    expect(await worker.get('job-take', 'job_in_progress=0')).toMatchObject({ status: 204, text: '' });
    expect(local.clock.monotonic()).toBe(60_000);
  });
});
