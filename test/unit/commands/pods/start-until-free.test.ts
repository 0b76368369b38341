import { describe, expect, test } from 'vitest';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

describe('pods start --until-available', () => {
  test('waits until the machine of the pod has free GPUs again', async () => {
    const account = createAccount();
    const gpu = await local(account, "pods get pod-stopped --jq '.gpu.id' --raw");
    await local(account, `local stock set ${gpu} none --for 10m`);
    expect((await account('pods start pod-stopped')).code).toBe(5);
    const ran = await account('pods start pod-stopped --until-available 1h --json');
    expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('Waiting for free GPUs for 1 pod')]);
    expect(JSON.parse(ran.out)).toMatchObject({ id: 'pod-stopped', status: 'PROVISIONING' });
  });

  test('ends with 9 when the time is over, and at once for another refusal', async () => {
    const account = createAccount();
    const gpu = await local(account, "pods get pod-stopped --jq '.gpu.id' --raw");
    await local(account, `local stock set ${gpu} none`);
    const over = await account('pods start pod-stopped --until-available 5m');
    expect([over.code, over.err]).toEqual([9, expect.stringContaining('waited 5m to start pod pod-stopped')]);
    await local(account, 'local fault add low-balance');
    expect((await account('pods start pod-stopped --until-available 5m')).code).toBe(5);
  });

  test('a start whose answer was lost is looked at, and not sent again', async () => {
    const remote = await remoteService(({ method }) => (method === 'POST' ? 'lose' : undefined));
    const ran = await berth(['pods', 'start', 'pod-stopped', '--until-available', '1h', '-o', 'id'], {
      env: remote.env,
    });
    expect([ran.code, ran.out.trim()]).toEqual([0, 'pod-stopped']);
    expect(remote.server.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});

describe('catalog gpus --watch', () => {
  test('ends with 0 as soon as one of them can be had at the price, rings the bell, and buys nothing', async () => {
    const account = createAccount();
    await local(account, 'local stock set GPU-80G none --for 20m');
    await local(account, 'local stock price GPU-80G 9');
    await local(account, 'local stock price GPU-80G 2 --for 1h');
    const line = 'catalog gpus --watch --interval 1m --gpu GPU-80G --max-price 2.50';
    const ran = await account(line, { tty: { stderr: true } });
    expect([ran.code, ran.err.includes('\u0007')]).toEqual([0, true]);
    const now = await local(account, 'local clock show --jq .now --raw');
    expect(Date.parse(now) - Date.UTC(2026, 0, 1)).toBeGreaterThanOrEqual(20 * 60_000);
    expect(Date.parse(now) - Date.UTC(2026, 0, 1)).toBeLessThan(25 * 60_000);
    expect((await account('catalog gpus --watch --gpu GPU-81G')).code).toBe(2);
  });
});
