import { describe, expect, it } from 'vitest';
import { localFixture, type LocalFixture, POD_BODY } from '../../../support/local/service-fixture.ts';

const gpu = { id: 'GPU-24G', count: 2 };
const POD = { ...POD_BODY, gpu };

const stock = (hardware: string, free: number, dataCenter?: string) => ({ hardware, free, dataCenter });

async function refusal({ send }: LocalFixture, body: object): Promise<unknown> {
  const answer = await send('POST', '/v2/pods', body);
  return [answer.status, answer.body['detail']];
}

describe('no room (additions 3): only the text says it', () => {
  it.each([
    ['nothing is free', [stock('GPU-24G', 0)], {}, /no longer any instances available/],
    [
      'nothing is free there',
      [stock('GPU-24G', 0, 'ASIA-1')],
      { dataCenterIds: ['ASIA-1'] },
      /instances currently available/,
    ],
    ['too little is free', [stock('GPU-24G', 1)], {}, /does not have the resources to deploy/],
    ['no machine has so much RAM', [], { gpu: { ...gpu, minRamPerGpu: 32 } }, /no resources to deploy/],
    ['no machine has so many vCPUs', [], { gpu: { ...gpu, minVcpuCountPerGpu: 9 } }, /no resources to deploy/],
  ])('%s', async (_, changes, rest, text) => {
    const local = localFixture();
    for (const change of changes) await local.send('POST', '/local/stock', change);
    expect(await refusal(local, { ...POD, ...rest })).toEqual([400, expect.stringMatching(text)]);
  });

  it('filters that fit are met, and stand beside an empty list of CUDA versions', async () => {
    const filters = { minRamPerGpu: 31, minVcpuCountPerGpu: 8, allowedCudaVersions: [], minCudaVersion: '12.4' };
    const { status, body } = await localFixture().send('POST', '/v2/pods', { ...POD, gpu: { ...gpu, ...filters } });
    expect([status, body['gpu']]).toEqual([201, { ...gpu, vcpuCount: 16, memory: 62.5 }]);
  });

  it('a start whose machine is full', async () => {
    const { send } = localFixture();
    await send('POST', '/local/stock', stock('GPU-48G', 0, 'US-EAST-1'));
    const { status, body } = await send('POST', '/v2/pods/pod-stopped/action', { action: 'start' });
    expect([status, body['detail']]).toEqual([400, expect.stringMatching(/not enough free gpus on the host/i)]);
  });
});

describe('faults of a create', () => {
  it.each([
    [{ kind: 'refuse' }, 400, /no longer any instances available/],
    [{ kind: 'refuse', detail: 'the image manifest was not found' }, 400, /^the image manifest was not found$/],
    [{ kind: 'forbidden' }, 403, /access denied/],
    [{ kind: 'low-balance' }, 402, /balance/],
  ])('%j', async (fault, status, detail) => {
    const local = localFixture();
    await local.send('POST', '/local/fault', fault);
    expect(await refusal(local, POD)).toEqual([status, expect.stringMatching(detail)]);
    expect((await local.send('GET', '/v2/pods')).status).toBe(200);
  });

  it('start-without-gpu: the pod runs and has no gpu, until it is started again', async () => {
    const { send, clock } = localFixture();
    await send('POST', '/local/fault', { kind: 'start-without-gpu', count: 1 });
    const start = async (): Promise<unknown> => {
      const { body } = await send('POST', '/v2/pods/pod-stopped/action', { action: 'start' });
      return body['gpu'];
    };
    expect(await start()).toBeUndefined();
    clock.advance(8000);
    expect((await send('GET', '/v2/pods/pod-stopped')).body).toMatchObject({ runtime: { gpus: [] } });
    await send('POST', '/v2/pods/pod-stopped/action', { action: 'stop' });
    expect(await start()).toMatchObject({ count: 1 });
  });
});

describe('a create that is too large: 413 before the key is read, without rate headers', () => {
  const sized = (bytes: number) => {
    const body = { ...POD, env: { A: '' } };
    return { ...body, env: { A: 'x'.repeat(bytes - JSON.stringify(body).length) } };
  };

  it.each([
    [102_400, 201],
    [102_401, 413],
  ])('a body of %d bytes', async (bytes, status) => {
    const answer = await localFixture().send('POST', '/v2/pods', sized(bytes));
    expect([answer.status, answer.headers.has('ratelimit')]).toEqual([status, status === 201]);
  });

  it('with no key, or with a template', async () => {
    const { send } = localFixture();
    expect((await send('POST', '/v2/pods', sized(102_401), null)).status).toBe(413);
    const env = { B: 'x'.repeat(60_000) };
    const { body } = await send('POST', '/v2/templates', { name: 't', image: 'i', env });
    const half = { ...sized(60_000), templateId: body['id'] };
    expect((await send('POST', '/v2/pods', half)).status).toBe(413);
    expect((await send('POST', '/v2/pods', sized(60_000))).status).toBe(201);
  });
});
