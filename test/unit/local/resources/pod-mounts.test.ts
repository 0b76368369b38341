import { describe, expect, it } from 'vitest';
import { localFixture, POD_BODY } from '../../../support/local/service-fixture.ts';

const persistent = { size: 20, path: '/data' };
const network = [{ volumeId: 'vol-datasets', path: '/workspace' }];

describe('mounts of a new pod (specification 2.3, 2.4)', () => {
  it.each<[string, object, number, string?]>([
    ['none', {}, 201],
    ['an empty object', { mounts: {} }, 201],
    ['persistent', { mounts: { persistent } }, 201],
    ['network', { mounts: { network } }, 201],
    ['both', { mounts: { persistent, network } }, 400, 'at most one of persistent and network may be mounted'],
    ['both, network empty', { mounts: { persistent, network: [] } }, 400],
    ['two network mounts', { mounts: { network: [network[0], network[0]] } }, 422],
    [
      'persistent on a CPU pod',
      { gpu: undefined, cpu: { id: 'cpu-general', vcpuCount: 2 }, mounts: { persistent } },
      400,
    ],
    ['network on a CPU pod', { gpu: undefined, cpu: { id: 'cpu-general', vcpuCount: 2 }, mounts: { network } }, 201],
    ['network on COMMUNITY', { cloud: 'COMMUNITY', mounts: { network } }, 400],
    ['network in another data center', { dataCenterIds: ['US-EAST-1'], mounts: { network } }, 400],
    ['an unknown volume', { mounts: { network: [{ volumeId: 'vol-none', path: '/x' }] } }, 404],
    ['persistent without size', { mounts: { persistent: { path: '/x' } } }, 422],
    ['persistent without path', { mounts: { persistent: { size: 10 } } }, 422],
    ['persistent below 10 GB', { mounts: { persistent: { size: 9, path: '/x' } } }, 422],
    ['network without volumeId', { mounts: { network: [{ path: '/x' }] } }, 422],
    ['network without path', { mounts: { network: [{ volumeId: 'vol-datasets' }] } }, 422],
    ['an unknown member', { mounts: { other: {} } }, 422],
    ['an unknown member of persistent', { mounts: { persistent: { ...persistent, iops: 1 } } }, 422],
    ['an unknown member of network', { mounts: { network: [{ ...network[0], readOnly: true }] } }, 422],
  ])('%s', async (_, body, status, detail) => {
    const { send } = localFixture();
    const answer = await send('POST', '/v2/pods', { ...POD_BODY, ...body });
    expect([answer.status, answer.body.detail ?? detail]).toEqual([status, detail ?? answer.body.detail]);
    const mounts = (body as { mounts?: object }).mounts ?? {};
    if (status === 201) expect(answer.body.mounts).toEqual(mounts);
  });

  it('puts the pod in the data center of its volume', async () => {
    const { send } = localFixture();
    const { body } = await send('POST', '/v2/pods', {
      ...POD_BODY,
      gpu: { id: 'GPU-48G' },
      mounts: { network: [{ volumeId: 'vol-checkpoints', path: '/data' }] },
    });
    expect(body.dataCenterId).toBe('US-EAST-1');
  });
});

describe('mounts in a PATCH (the table of specification 2.3)', () => {
  const NETWORK = 'pod-train';
  const PERSISTENT = 'pod-notebook';
  const NONE = 'pod-web';
  it.each<[string, string, unknown, number]>([
    ['omitted', NETWORK, undefined, 200],
    ['an empty object', NETWORK, {}, 200],
    ['an empty object on a persistent pod', PERSISTENT, {}, 200],
    ['network an empty array', NETWORK, { network: [] }, 400],
    ['network an empty array on a pod without mounts', NONE, { network: [] }, 400],
    ['persistent on a network pod', NETWORK, { persistent }, 400],
    ['network on a persistent pod', PERSISTENT, { network }, 400],
    ['persistent on a pod without mounts', NONE, { persistent }, 400],
    ['network on a pod without mounts', NONE, { network }, 400],
    ['both', NETWORK, { persistent, network }, 400],
    ['another volume', NETWORK, { network: [{ volumeId: 'vol-scratch', path: '/workspace' }] }, 400],
    ['persistent without size', PERSISTENT, { persistent: { path: '/x' } }, 422],
    ['persistent without path', PERSISTENT, { persistent: { size: 100 } }, 422],
    ['network without volumeId', NETWORK, { network: [{ path: '/x' }] }, 422],
    ['network without path', NETWORK, { network: [{ volumeId: 'vol-datasets' }] }, 422],
    ['a smaller persistent mount', PERSISTENT, { persistent: { size: 50, path: '/workspace' } }, 400],
  ])('%s', async (_, id, mounts, status) => {
    const { send } = localFixture();
    const before = await send('GET', `/v2/pods/${id}`);
    const answer = await send('PATCH', `/v2/pods/${id}`, { mounts });
    expect(answer.status).toBe(status);
    const after = await send('GET', `/v2/pods/${id}`);
    expect(after.body.mounts).toEqual(before.body.mounts);
  });

  it.each([
    ['persistent', PERSISTENT, { persistent: { size: 100, path: '/elsewhere' } }],
    ['network', NETWORK, { network: [{ volumeId: 'vol-datasets', path: '/elsewhere' }] }],
  ])('changes the path of a %s mount', async (_, id, mounts) => {
    const { send } = localFixture();
    expect((await send('PATCH', `/v2/pods/${id}`, { mounts })).body.mounts).toEqual(mounts);
  });
});
