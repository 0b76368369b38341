import { describe, expect, test } from 'vitest';
import { createAccount } from '../../../support/worlds/local-account.ts';

describe('a name in the place of an id, in a body that the local service is sent:', () => {
  test.each([
    ['templates create --name t --image i --registry'],
    ['endpoints create --name e --image i --gpu-pool POOL-24G --registry'],
    ['pods update pod-stopped --registry'],
  ])('%s', async (line) => {
    const account = createAccount();
    const { code, out, err } = await account(`${line} 'team registry' --json`);
    expect([code, (JSON.parse(out || 'null') as { registry?: string } | null)?.registry], err).toEqual([0, 'reg-team']);
  });

  test.each([
    [
      'clusters create --name c --type RAY --gpu GPU-80G --gpu-count 1 --pods 2 --image i --network-volume datasets:/data',
    ],
    ["endpoints create --name e --gpu-pool POOL-24G --template 'team worker'"],
    ['pods create --name p --image i --gpu GPU-24G --network-volume datasets:/data'],
    ["pods update pod-stopped --template 'team training'"],
  ])('%s', async (line) => {
    const { code, err } = await createAccount()(line);
    expect(code, err).toBe(0);
  });

  test('that nothing has ends with the refusal of the service', async () => {
    const { code, err } = await createAccount()('templates create --name t --image i --registry nothing');
    expect([code, err]).toEqual([5, expect.stringContaining('registry nothing not found')]);
  });
});
