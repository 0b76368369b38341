import { describe, expect, it } from 'vitest';
import { localFixture, POD_BODY } from '../../../support/local/service-fixture.ts';

describe('what a change of a running pod costs (additions 5)', () => {
  it.each<[string, string, object]>([
    ['image', 'pod-web', { image: 'other:2' }],
    ['args', 'pod-web', { args: 'other' }],
    ['cmd', 'pod-web', { cmd: ['a'] }],
    ['entrypoint', 'pod-web', { entrypoint: ['a'] }],
    ['env', 'pod-web', { env: { NEW: '1' } }],
    ['ports', 'pod-web', { ports: ['81/http'] }],
    ['disk', 'pod-web', { disk: 77 }],
    ['registry', 'pod-web', { registry: 'reg-team' }],
    ['mounts', 'pod-train', { mounts: { network: [{ volumeId: 'vol-datasets', path: '/other' }] } }],
  ])('%s: the container starts anew', async (_, pod, change) => {
    const { send, clock } = localFixture();
    const before = (await send('GET', `/v2/pods/${pod}`)).body;
    const { body } = await send('PATCH', `/v2/pods/${pod}`, change);
    expect(body).toMatchObject({ status: 'STARTING', runtime: null });
    clock.advance(6000);
    const after = (await send('GET', `/v2/pods/${pod}`)).body;
    expect(after).toMatchObject({ status: 'RUNNING', dataCenterId: before['dataCenterId'] });
    expect(Date.parse(String(after['startedAt']))).toBeGreaterThan(Date.parse(String(before['startedAt'])));
  });

  it.each<[string, object]>([
    ['name', { name: 'other' }],
    ['locked', { locked: true }],
    ['global networking', { globalNetworking: false }],
    ['the same value again', { disk: 50 }],
  ])('%s: nothing is restarted', async (_, change) => {
    const { send } = localFixture();
    const before = (await send('GET', '/v2/pods/pod-train')).body;
    const { body } = await send('PATCH', '/v2/pods/pod-train', change);
    expect([body['status'], body['startedAt']]).toEqual(['RUNNING', before['startedAt']]);
  });

  it('a stopped pod is changed and stays stopped', async () => {
    const { body } = await localFixture().send('PATCH', '/v2/pods/pod-stopped', { env: { A: '1' } });
    expect(body['status']).toBe('EXITED');
  });
});

describe('RUNNING is not reachable (additions 6)', () => {
  it('has neither metrics nor direct SSH for a while; an http port has an address that nobody can reach', async () => {
    const { send, clock } = localFixture();
    const { body: made } = await send('POST', '/v2/pods', {
      ...POD_BODY,
      ports: ['22/tcp', '8888/http'],
      startSsh: true,
    });
    const read = async () => (await send('GET', `/v2/pods/${String(made['id'])}`)).body;
    clock.advance(5000);
    expect(await read()).toMatchObject({ status: 'RUNNING', runtime: null, ssh: { direct: null } });
    clock.advance(2000);
    const { runtime, ssh } = (await read()) as {
      runtime: { ports: { private: number; ip: string }[] };
      ssh: { direct: { host: string } };
    };
    expect(ssh.direct.host).toMatch(/^203\.0\.113\./);
    const [http] = runtime.ports.filter((port) => port.private === 8888);
    const [first, second] = (http?.ip ?? '').split('.').map(Number);
    expect([first, (second ?? 0) >= 64 && (second ?? 0) < 128]).toEqual([100, true]);
  });
});
