import { describe, expect, it } from 'vitest';
import { localFixture, type LocalFixture, POD_BODY } from '../../../support/local/service-fixture.ts';

const gpu = { id: 'GPU-24G' };
const TRAIN = {
  name: 'p',
  templateId: 'tpl-train',
};

const idsIn = async ({ send }: LocalFixture, path: string, member: string): Promise<string[]> =>
  ((await send('GET', path)).body[member] as { id: string }[]).map(({ id }) => id);

describe('templateId on a pod is resolved once (contract rules, Pods)', () => {
  it('fills what the body leaves open; the body wins, env key by key', async () => {
    const { send } = localFixture();
    const { body } = await send('POST', '/v2/pods', {
      ...TRAIN,
      gpu,
      args: '',
      env: { EPOCHS: '9', OWN: 'x' },
      startSsh: false,
    });
    expect(body).toMatchObject({
      image: 'registry.example/team/train:2.1',
      args: '',
      disk: 50,
      ports: ['22/tcp', '6006/http'],
      env: { EPOCHS: '9', DATA: '/workspace/data', OWN: 'x' },
      registry: 'reg-team',
      mounts: { persistent: { size: 100, path: '/workspace' } },
      cudaVersion: '12.8',
      template: 'tpl-train',
    });
    expect(body['env']).not.toHaveProperty('PUBLIC_KEY');
    await send('PATCH', '/v2/templates/tpl-train', { image: 'other:2' });
    expect((await send('GET', `/v2/pods/${String(body['id'])}`)).body['image']).toBe('registry.example/team/train:2.1');
  });

  it('a CPU pod takes neither the persistent mount nor the CUDA constraint', async () => {
    const cpu = { id: 'cpu-general', vcpuCount: 2 };
    const { status, body } = await localFixture().send('POST', '/v2/pods', { ...TRAIN, cpu });
    expect(status).toBe(201);
    expect(body).toMatchObject({ mounts: {}, cudaVersion: null, disk: 50 });
  });

  it('takes its CUDA constraint unless the body has one', async () => {
    const { send } = localFixture();
    const withTemplate = (rest: object) => send('POST', '/v2/pods', { ...TRAIN, gpu: { id: 'GPU-80G', ...rest } });
    expect((await withTemplate({})).body['cudaVersion']).toBe('12.8');
    expect((await withTemplate({ minCudaVersion: '12.9' })).body['cudaVersion']).toBe('12.11');
    expect((await withTemplate({ allowedCudaVersions: ['12.4'] })).body['cudaVersion']).toBe('12.4');
    const amd = await send('POST', '/v2/pods', { ...TRAIN, gpu: { id: 'GPU-192G' } });
    expect(amd.status).toBe(400);
  });

  it('a PATCH takes the container once; mounts and the template the pod names stay', async () => {
    const { send } = localFixture();
    const { body } = await send('PATCH', '/v2/pods/pod-notebook', { templateId: 'tpl-train', disk: 7 });
    expect(body).toMatchObject({
      image: 'registry.example/team/train:2.1',
      disk: 7,
      env: { EPOCHS: '3', DATA: '/workspace/data' },
      mounts: { persistent: { size: 100 } },
      template: null,
    });
  });
});

describe('templates', () => {
  it('are created with the published defaults', async () => {
    const { body } = await localFixture().send('POST', '/v2/templates', { name: 't', image: 'i' });
    expect(body).toMatchObject({
      args: '',
      ports: [],
      env: {},
      registry: null,
      mounts: {},
      serverless: false,
      public: false,
      category: 'NVIDIA',
      startSsh: true,
      startJupyter: true,
      allowedCudaVersions: [],
    });
  });

  it("lists the account's own; the catalog the public ones by source, at most 100", async () => {
    const local = localFixture();
    expect(await idsIn(local, '/v2/templates', 'templates')).toEqual(['tpl-worker', 'tpl-train']);
    expect(await idsIn(local, '/v2/catalog/templates', 'templates')).toEqual(['tpl-pytorch', 'tpl-ubuntu', 'tpl-echo']);
    expect(await idsIn(local, '/v2/catalog/templates?source=verified', 'templates')).toEqual(['tpl-amd']);
    for (let count = 0; count < 101; count++)
      await local.send('POST', '/v2/templates', { name: 't', image: 'i', public: count > 0 });
    expect(await idsIn(local, '/v2/catalog/templates?source=community', 'templates')).toHaveLength(100);
    expect(await idsIn(local, '/v2/templates', 'templates')).toHaveLength(103);
  });

  it.each(['PATCH', 'DELETE'])("%s of somebody else's is 404, and reading it is not", async (method) => {
    const { send } = localFixture();
    const body = method === 'PATCH' ? { name: 'x' } : undefined;
    expect((await send(method, '/v2/templates/tpl-diffusion', body)).status).toBe(404);
    expect((await send('GET', '/v2/templates/tpl-diffusion')).body).toMatchObject({ public: true });
  });

  it('are deleted once no pod uses them', async () => {
    const { send } = localFixture();
    const pod = (await send('POST', '/v2/pods', { ...TRAIN, gpu })).body['id'] as string;
    const refused = await send('DELETE', '/v2/templates/tpl-train');
    expect([refused.status, refused.body['detail']]).toEqual([400, `pod ${pod} uses the template`]);
    await send('DELETE', `/v2/pods/${pod}`);
    expect((await send('DELETE', '/v2/templates/tpl-train')).status).toBe(204);
    expect((await send('GET', '/v2/templates/tpl-train')).status).toBe(404);
  });
});

describe('registry credentials', () => {
  it('are write-only, and kept nowhere', async () => {
    const { send } = localFixture();
    const created = await send('POST', '/v2/registries', { name: 'r', username: 'me', password: 'hush-hush' });
    expect(created.body).toEqual({ id: 'reg-000001', name: 'r' });
    expect((await send('GET', '/v2/registries')).text + created.text).not.toMatch(/hush|"me"/);
  });

  it('stay while a pod uses them; then templates lose the reference', async () => {
    const { send } = localFixture();
    const refused = await send('DELETE', '/v2/registries/reg-team');
    expect([refused.status, refused.body['detail']]).toEqual([400, 'pod pod-train uses the registry credential']);
    await send('DELETE', '/v2/pods/pod-train');
    expect((await send('DELETE', '/v2/registries/reg-team')).status).toBe(204);
    expect((await send('GET', '/v2/templates/tpl-train')).body['registry']).toBeNull();
  });
});

describe('SSH keys', () => {
  const KEY = 'ecdsa-sha2-nistp256 AAAAE2VjZHNh someone';

  it('are replaced whole, and what startSsh gives to a pod', async () => {
    const { send } = localFixture();
    const both = [KEY, 'sk-ssh-ed25519@example AAAA'];
    expect((await send('PUT', '/v2/account/ssh-keys', { keys: both })).body).toEqual({ keys: both });
    const pod = { ...POD_BODY, startSsh: true };
    const env = async (rest: object) => (await send('POST', '/v2/pods', { ...pod, ...rest })).body['env'];
    expect(await env({})).toEqual({ PUBLIC_KEY: both.join('\n') });
    expect(await env({ env: { PUBLIC_KEY: 'mine' } })).toEqual({ PUBLIC_KEY: 'mine' });
    await send('PUT', '/v2/account/ssh-keys', { keys: [] });
    expect((await send('GET', '/v2/account/ssh-keys')).body).toEqual({ keys: [] });
    expect(await env({})).toEqual({});
  });
});
