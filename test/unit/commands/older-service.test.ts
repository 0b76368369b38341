import { expect, test } from 'vitest';
import { createAccount, local } from '../../support/worlds/local-account.ts';

const august = () => createAccount(undefined, { contract: 'august' });

test.each(['secrets list', 'secrets get api-token', 'endpoints builds list echo', 'endpoints builds get echo b1'])(
  'berth %s ends 4 at a service that does not have it',
  async (line) => {
    const ran = await august()(line);
    expect([ran.code, ran.out]).toEqual([4, '']);
  },
);

test('an endpoint is explained without its builds, and nothing is said of them', async () => {
  expect(await local(august(), 'endpoints explain echo')).toMatch(/^verdict\thealthy(?:(?!not read)[^])*$/);
});

test('a wait for a pod ends with its ports, and a secret of a variable is sent as it was', async () => {
  const account = august();
  const line = 'pods create --name p --image i --cpu cpu-general --vcpu 2 --port 22/tcp --env A=@secret:x --wait -o id';
  const id = await local(account, line);
  expect(await local(account, `pods get ${id} --json`)).toContain('"A": "{{ BERTH_SECRET_x }}"');
});
