import { describe, expect, it } from 'vitest';
import { localFixture, type LocalFixture } from '../../../support/local/service-fixture.ts';

const compute = { gpuTypeId: 'GPU-80G', gpuCountPerPod: 2, podCount: 3 };

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly cluster: unknown;
  readonly dataCenterId: string;
}

const podsAt = async ({ send }: LocalFixture, path: string): Promise<Shown[]> =>
  (await send('GET', path)).body['pods'] as Shown[];

const create = async ({ send }: LocalFixture, rest: object = {}): Promise<string> =>
  (await send('POST', '/v2/clusters', { name: 'c', type: 'SLURM', compute, ...rest })).body['id'] as string;

describe('a cluster', () => {
  it.each([
    ['SLURM', ['SLURM_CONTROLLER', 'SLURM_COMPUTE', 'SLURM_COMPUTE']],
    ['RAY', ['RAY_HEAD', 'RAY_WORKER', 'RAY_WORKER']],
    ['TRAINING', [undefined, undefined, undefined]],
    ['APPLICATION', [undefined, undefined, undefined]],
  ])('of type %s gives its members a rank, an address and %j', async (type, roles) => {
    const local = localFixture();
    const id = await create(local, { type });
    const pods = await podsAt(local, `/v2/clusters/${id}/pods`);
    expect(pods.map(({ name }) => name)).toEqual(['c-0', 'c-1', 'c-2']);
    expect(pods.map(({ cluster }) => cluster)).toEqual(
      roles.map((role, rank) => ({
        id,
        rank,
        ...(role === undefined ? {} : { role }),
        ip: expect.stringMatching(new RegExp(`^10\\.65\\.\\d+\\.${String(rank + 2)}$`)) as string,
      })),
    );
    expect(new Set(pods.map(({ dataCenterId }) => dataCenterId)).size).toBe(1);
  });

  it('with a template gives it and its registry credential to all members, and keeps it', async () => {
    const local = localFixture();
    const id = await create(local, { templateId: 'tpl-train' });
    const ofTemplate = { template: 'tpl-train', registry: 'reg-team', disk: 50 };
    const pods = await podsAt(local, `/v2/clusters/${id}/pods`);
    expect(pods).toMatchObject([ofTemplate, ofTemplate, ofTemplate]);
    expect((await local.send('GET', `/v2/clusters/${id}`)).body['template']).toBe('tpl-train');
  });

  it('counts its members by status, and has a primary that can be reached', async () => {
    const local = localFixture();
    const id = await create(local, { startSsh: true, ports: ['22/tcp'] });
    const read = async () => (await local.send('GET', `/v2/clusters/${id}`)).body;
    expect(await read()).toMatchObject({
      pods: { total: 3, byStatus: { PROVISIONING: 3 } },
      primary: { podId: 'pod-000002', status: 'PROVISIONING' },
      network: { cidr: expect.stringMatching(/^10\.65\.\d+\.0\/24$/) as string },
    });
    local.clock.advance(5000);
    await local.send('POST', '/v2/pods/pod-000003/action', { action: 'stop' });
    expect(await read()).toMatchObject({
      pods: { total: 3, byStatus: { RUNNING: 2, EXITED: 1 } },
      primary: { status: 'RUNNING', sshEndpoint: expect.stringMatching(/^203\.0\.113\.\d+:\d+$/) as string },
    });
  });

  it('keeps its members out of the list of pods, and to itself', async () => {
    const local = localFixture();
    const before = await podsAt(local, '/v2/pods');
    await create(local);
    expect(await podsAt(local, '/v2/pods')).toHaveLength(before.length);
    expect(await podsAt(local, '/v2/pods?includeClusterPods=true')).toHaveLength(before.length + 3);
    const refused = [
      await local.send('PATCH', '/v2/pods/pod-000002', { name: 'x' }),
      await local.send('DELETE', '/v2/pods/pod-000002'),
      await local.send('POST', '/v2/pods/pod-000002/action', { action: 'terminate' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([409, 409, 409]);
  });

  it('takes its members with it', async () => {
    const local = localFixture();
    const id = await create(local);
    expect((await local.send('DELETE', `/v2/clusters/${id}`)).status).toBe(204);
    expect((await local.send('GET', '/v2/pods/pod-000002')).status).toBe(404);
    expect((await local.send('GET', `/v2/clusters/${id}/pods`)).status).toBe(404);
    expect((await local.send('GET', '/v2/clusters')).body).toEqual({ clusters: [] });
  });

  it.each([
    ['more than one data center has', { compute: { ...compute, podCount: 17 } }, 'group of 17 pods cannot be placed'],
    ['a GPU nobody knows', { compute: { ...compute, gpuTypeId: 'X' } }, 'unknown GPU type X'],
    ['a volume nobody knows', { mounts: { network: [{ volumeId: 'v', path: '/w' }] } }, 'network volume v not found'],
  ])('of %s is refused', async (_, rest, detail) => {
    const { send } = localFixture();
    const answer = await send('POST', '/v2/clusters', { name: 'c', type: 'RAY', compute, ...rest });
    expect([answer.status, answer.body['detail']]).toEqual([400, expect.stringContaining(detail)]);
  });
});
