import { describe, expect, test } from 'vitest';
import { createAccount, local } from '../../../../support/worlds/local-account.ts';

const CLUSTER = 'clusters create --name c --type TRAINING --gpu GPU-80G --gpu-count 8 --pods 2';
const ENDPOINT = 'endpoints create --name e --gpu-pool POOL-80G';

describe('a container disk above the usual size is named in the price of', () => {
  test.each([
    ['a cluster', CLUSTER, 'The container disk of each pod (2000 GB)', ''],
    ['an endpoint', ENDPOINT, 'The container disk of each worker (2000 GB)', '--serverless'],
  ])('%s, also where a template has it', async (_, line, says, serverless) => {
    const account = createAccount();
    const whole = `${says} is paid too, at a price that is not published.`;
    expect((await account(`${line} --image i --disk 2000 --dry-run`)).err).toContain(whole);
    for (const size of ['', '--disk 20'])
      expect((await account(`${line} --image i ${size} --dry-run`.replace(/ +/g, ' '))).err).not.toContain(
        'container disk',
      );
    await local(account, `templates create --name large --image i --disk 2000 ${serverless}`.trimEnd());
    expect((await account(`${line} --template large --dry-run`)).err).toContain(whole);
  });

  test('a cluster, before its persistent mounts', async () => {
    const account = createAccount();
    await local(
      account,
      'templates create --name both --image i --disk 2000 --set mounts.persistent.size=100 --set mounts.persistent.path=/w',
    );
    const { err } = await account(`${CLUSTER} --template both --dry-run`);
    expect(err).toMatch(
      /a GPU\)\. The container disk of each pod .* published\. The persistent mount of each pod \(100 GB\)/,
    );
  });
});
