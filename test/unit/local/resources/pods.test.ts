import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localFixture, type LocalFixture, POD_BODY } from '../../../support/local/service-fixture.ts';

const create = async ({ send }: LocalFixture, rest: object = {}): Promise<string> =>
  (await send('POST', '/v2/pods', { ...POD_BODY, ...rest })).body.id as string;

describe('a pod over time', () => {
  it('goes from PROVISIONING over STARTING to RUNNING by the clock', async () => {
    const local = localFixture();
    const id = await create(local, { ports: ['22/tcp', '8080/http'], gpu: { id: 'GPU-24G', count: 2 } });
    const seen = [];
    for (const step of [0, 1999, 1, 2999, 1, 2000]) {
      local.clock.advance(step);
      const { body } = await local.send('GET', `/v2/pods/${id}`);
      seen.push([body.status, body.runtime === null, body.startedAt === null]);
    }
    expect(seen).toEqual([
      ['PROVISIONING', true, true],
      ['PROVISIONING', true, true],
      ['STARTING', true, true],
      ['STARTING', true, true],
      ['RUNNING', true, false],
      ['RUNNING', false, false],
    ]);
    local.clock.advance(88_000);
    const { runtime, cost } = (await local.send('GET', `/v2/pods/${id}`)).body;
    expect(runtime).toMatchObject({
      uptime: 90,
      gpus: [{}, {}],
      ports: [{ private: 22 }, { private: 8080, public: null }],
    });
    expect(cost).toBe(1.38);
  });

  it('is gone once it is terminated (additions 6): from lists, and for every request about it', async () => {
    const local = localFixture();
    const id = await create(local);
    expect((await local.send('DELETE', `/v2/pods/${id}`)).status).toBe(204);
    const { pods } = (await local.send('GET', '/v2/pods')).body as { pods: { id: string }[] };
    expect(pods.map((pod) => pod.id)).not.toContain(id);
    for (const [method, path, body] of [
      ['GET', id],
      ['GET', `${id}/logs`],
      ['PATCH', id, { name: 'x' }],
      ['POST', `${id}/action`, { action: 'start' }],
      ['POST', `${id}/action`, { action: 'terminate' }],
      ['DELETE', id],
    ] as const)
      expect([method, path, (await local.send(method, `/v2/pods/${path}`, body)).status]).toEqual([method, path, 404]);
  });

  it('takes up global networking at the next start', async () => {
    const local = localFixture();
    const id = await create(local, { dataCenterIds: ['EU-NORTH-1'] });
    local.clock.advance(5000);
    const patched = await local.send('PATCH', `/v2/pods/${id}`, { globalNetworking: true });
    expect(patched.body.globalNetworking).toEqual({ enabled: false });
    const restarted = await local.send('POST', `/v2/pods/${id}/action`, { action: 'restart' });
    expect(restarted.body).toMatchObject({
      status: 'STARTING',
      globalNetworking: { enabled: true, internalDns: `${id}.pods.internal` },
    });
  });
});

describe('actions by status (contract rules, Pods)', () => {
  const ACTIONS = ['start', 'stop', 'restart', 'terminate'];
  it.each<[string, string, string[]]>([
    ['PROVISIONING', 'pod-provisioning', ['stop', 'terminate']],
    ['STARTING', 'pod-starting', ['stop', 'terminate']],
    ['RUNNING', 'pod-train', ['stop', 'restart', 'terminate']],
    ['EXITED', 'pod-stopped', ['start', 'terminate']],
    ['ERROR', 'pod-broken', ['start', 'terminate']],
  ])('%s', async (status, id, allowed) => {
    for (const action of ACTIONS) {
      const { send } = localFixture();
      const before = await send('GET', `/v2/pods/${id}`);
      expect([before.body.status, before.body.actions]).toEqual([status, allowed]);
      const answer = await send('POST', `/v2/pods/${id}/action`, { action });
      expect([action, answer.status]).toEqual([
        action,
        allowed.includes(action) ? (action === 'terminate' ? 204 : 200) : 409,
      ]);
    }
  });

  it('lead to the documented status', async () => {
    const { send } = localFixture();
    const status = async (id: string, action: string) =>
      (await send('POST', `/v2/pods/${id}/action`, { action })).body.status as string | undefined;
    expect(await status('pod-train', 'restart')).toBe('STARTING');
    expect(await status('pod-notebook', 'stop')).toBe('EXITED');
    expect(await status('pod-notebook', 'start')).toBe('PROVISIONING');
  });

  it('whatever is done, and whenever: an action works where the pod lists it, and its facts fit its status', async () => {
    const step = fc.record({
      pause: fc.constantFrom(0, 1000, 2000, 3000, 5000, 86_400_000),
      action: fc.constantFrom('start', 'stop', 'restart'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const local = localFixture();
        for (const { pause, action } of steps) {
          local.clock.advance(pause);
          const { actions } = (await local.send('GET', '/v2/pods/pod-train')).body as { actions: string[] };
          const { status } = await local.send('POST', '/v2/pods/pod-train/action', { action });
          expect([action, status]).toEqual([action, actions.includes(action) ? 200 : 409]);
          const { body } = await local.send('GET', '/v2/pods/pod-train');
          expect(body.cost === 0).toBe(body.status === 'EXITED');
          if (body.status !== 'RUNNING') expect(body.runtime).toBeNull();
        }
      }),
      { numRuns: 40 },
    );
  });

  it('refuses to stop or restart a locked pod, and nothing else', async () => {
    const { send } = localFixture();
    expect((await send('POST', '/v2/pods/pod-web/action', { action: 'stop' })).status).toBe(409);
    expect((await send('POST', '/v2/pods/pod-web/action', { action: 'restart' })).status).toBe(409);
    expect((await send('PATCH', '/v2/pods/pod-web', { locked: false })).body.locked).toBe(false);
    expect((await send('POST', '/v2/pods/pod-web/action', { action: 'stop' })).status).toBe(200);
  });
});

describe('creating a pod (contract rules, Pods)', () => {
  it.each<[string, object, number]>([
    ['gpu and cpu', { cpu: { id: 'cpu-general', vcpuCount: 2 } }, 400],
    ['neither', { gpu: undefined }, 400],
    ['no image', { image: undefined }, 422],
    ['an empty name', { name: '' }, 422],
    ['an unknown template', { image: undefined, templateId: 'tpl-none' }, 404],
    ['an unknown registry', { registry: 'reg-none' }, 404],
    ['a known registry', { registry: 'reg-team' }, 201],
    ['an unknown GPU', { gpu: { id: 'GPU-1' } }, 400],
    ['more GPUs than a machine has', { gpu: { id: 'GPU-24G', count: 9 } }, 400],
    ['no GPU at all', { gpu: { id: 'GPU-24G', count: 0 } }, 422],
    ['an unknown data center', { dataCenterIds: ['MOON-1'] }, 400],
    ['a data center without that GPU', { gpu: { id: 'GPU-80G' }, dataCenterIds: ['ASIA-1'] }, 400],
    ['three vCPUs', { gpu: undefined, cpu: { id: 'cpu-general', vcpuCount: 3 } }, 400],
    ['one vCPU', { gpu: undefined, cpu: { id: 'cpu-general', vcpuCount: 1 } }, 422],
    ['more vCPUs than the flavor has', { gpu: undefined, cpu: { id: 'cpu-memory', vcpuCount: 32 } }, 400],
    ['memory of a CPU pod', { gpu: undefined, cpu: { id: 'cpu-general', vcpuCount: 2, memory: 8 } }, 422],
    ['a disk of nothing', { disk: 0 }, 422],
    ['no disk (additions 3)', { disk: undefined }, 400],
    ['no disk on a CPU pod', { disk: undefined, gpu: undefined, cpu: { id: 'cpu-general', vcpuCount: 2 } }, 400],
    ['no disk, with a template', { disk: undefined, templateId: 'tpl-pytorch' }, 201],
    ['no number of GPUs: one (specification 2.2)', { gpu: { id: 'GPU-24G' } }, 201],
    ['a port without protocol', { ports: ['8080'] }, 400],
    ['both CUDA wishes', { gpu: { id: 'GPU-80G', allowedCudaVersions: ['12.8'], minCudaVersion: '12.2' } }, 400],
    ['an allowed CUDA version', { gpu: { id: 'GPU-80G', allowedCudaVersions: ['12.8'] } }, 201],
    ['a CUDA version nobody has', { gpu: { id: 'GPU-16G', minCudaVersion: '12.11' } }, 400],
    ['global networking', { globalNetworking: true }, 201],
    ['global networking where there is none', { globalNetworking: true, dataCenterIds: ['ASIA-1'] }, 400],
    ['global networking without such a GPU', { globalNetworking: true, gpu: { id: 'GPU-192G' } }, 400],
  ])('%s', async (_, body, status) => {
    const { send } = localFixture();
    expect((await send('POST', '/v2/pods', { ...POD_BODY, ...body })).status).toBe(status);
  });

  it('injects keys and password, each unless env has it', async () => {
    const { send } = localFixture();
    const asked = {
      ...POD_BODY,
      ports: ['22/tcp'],
      startSsh: true,
      startJupyter: true,
      env: { JUPYTER_PASSWORD: 'mine' },
    };
    const { env } = (await send('POST', '/v2/pods', asked)).body as { env: Record<string, string> };
    expect(env['PUBLIC_KEY']).toMatch(/^ssh-/);
    expect(env['JUPYTER_PASSWORD']).toBe('mine');
  });

  it('replaces env whole in a PATCH', async () => {
    const { send } = localFixture();
    const { body } = await send('PATCH', '/v2/pods/pod-train', { env: { ONLY: '1' }, registry: null, name: 'renamed' });
    expect(body).toMatchObject({
      env: { ONLY: '1' },
      registry: null,
      name: 'renamed',
      image: 'example/pytorch:2.8-cuda12.8',
    });
  });
});
