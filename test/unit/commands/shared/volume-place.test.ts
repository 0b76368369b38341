import { expect, test } from 'vitest';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { createAccount } from '../../../support/worlds/local-account.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

const CREATE = 'pods create --name lab --image a/b:1';

test.each([
  ['a pod', CREATE + ' --gpu GPU-80G'],
  ['a cluster', 'clusters create --name c --type TRAINING --gpu GPU-80G --gpu-count 8 --pods 2'],
  ['an endpoint', 'endpoints create --name e --image a/b:1 --gpu-pool POOL-80G'],
  ['a change of an endpoint', 'endpoints update echo'],
])('a volume elsewhere is refused for %s before anything is sent, also without a wait', async (_, create) => {
  const account = createAccount();
  for (const place of ['US-WEST-1', 'EU-NORTH-1,US-WEST-1']) {
    const ran = await account(`${create} --network-volume datasets --data-center ${place} --dry-run`);
    expect([ran.code, ran.err.includes('volume datasets is in EU-NORTH-1')]).toEqual(
      place === 'US-WEST-1' ? [2, true] : [0, false],
    );
  }
  const { code, err } = await account(`${create} --network-volume datasets --data-center US-WEST-1`);
  expect([code, err]).toEqual([2, expect.stringContaining('volume datasets is in EU-NORTH-1')]);
  expect(err).not.toContain('an hour');
});

test('a volume is for the service to judge where the list of volumes cannot be read', async () => {
  const remote = await remoteService(({ url }) =>
    url.startsWith('/v2/network-volumes') ? { refuse: 500 } : undefined,
  );
  const flags = ['--gpu', 'GPU-80G', '--network-volume', 'vol-datasets', '--data-center', 'US-WEST-1'];
  const ran = await berth([...CREATE.split(' '), ...flags], { env: remote.env });
  expect(ran.code).toBe(5);
});

test('a volume elsewhere is refused for what an endpoint has already, and one of several volumes is enough', async () => {
  const account = createAccount();
  const [restrict, mount] = ['--data-center EU-NORTH-1', '--network-volume scratch'];
  await account(`endpoints update echo ${restrict}`);
  for (const flags of [mount, `${mount} --dry-run`]) {
    const ran = await account(`endpoints update echo ${flags}`);
    expect([ran.code, ran.err]).toEqual([
      2,
      expect.stringContaining('the volume scratch is in EU-WEST-1, and it may run only in EU-NORTH-1'),
    ]);
  }
  expect((await account(`endpoints update echo ${mount} --network-volume datasets --dry-run`)).code).toBe(0);
});

test.each([
  ['a new endpoint', 'new', 2],
  ['a change of one', 'echo', 16],
])('a plan says of %s that its volume is elsewhere', async (_, name, code) => {
  const document = ['kind: endpoint', `name: ${name}`, 'image: a/b:1', 'cpu: [{id: cpu-general, vcpuCount: 2}]'];
  const place = ['dataCenterIds: [EU-NORTH-1]', 'networkVolumes: [scratch]'];
  const ran = await createAccount()('plan -', { stdin: [...document, ...place].join('\n') });
  const elsewhere = 'the volume vol-scratch is in EU-WEST-1';
  expect([ran.code, ran.out + ran.err]).toEqual([code, expect.stringContaining(elsewhere)]);
});
