import { describe, expect, it, test } from 'vitest';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { type Account, createAccount, local } from '../../../support/worlds/local-account.ts';
import { expectNoKeyNoStack } from '../../../support/worlds/expect-run.ts';
import { json, pointedAt, problem, reset, routed, serve } from '../../../support/servers/scripted-server.ts';

/** The request that a command would send, from a dry run at a service that cannot be read: the ids are those given. */
async function preview(...argv: readonly string[]) {
  const server = await serve([problem(403, 'not with this key')]);
  const ran = await berth(['pods', ...argv, '--dry-run'], { env: pointedAt(server.url) });
  expectNoKeyNoStack(ran);
  expect(ran.code, ran.err).toBe(0);
  return JSON.parse(ran.out) as { readonly method: string; readonly url: string; readonly body: object };
}

const GPU = ['--name', 'lab', '--gpu', 'GPU-24G', '--image', 'example/a'];

const POD = 'pods create lab --gpu GPU-24G --image example/pytorch:2.8';

describe('pods create', () => {
  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['', {}],
    ['--gpu-count 2 --cuda 12.4,12.8', { gpu: { id: 'GPU-24G', count: 2, allowedCudaVersions: ['12.4', '12.8'] } }],
    ['--min-cuda 12.4', { gpu: { id: 'GPU-24G', count: 1, minCudaVersion: '12.4' } }],
    [
      '--cloud community --data-center A,B --data-center C --disk 50 --port 8888/http,22/tcp --args x',
      { cloud: 'COMMUNITY', dataCenterIds: ['A', 'B', 'C'], disk: 50, ports: ['8888/http', '22/tcp'], args: 'x' },
    ],
    ['--env A=1=2,3 --env B=', { env: { A: '1=2,3', B: '' } }],
    ['--registry reg --template t1', { registry: 'reg', templateId: 't1', disk: undefined }],
    [
      '--min-ram-per-gpu 30 --min-vcpu-per-gpu 8',
      { gpu: { id: 'GPU-24G', count: 1, minRamPerGpu: 30, minVcpuCountPerGpu: 8 } },
    ],
    ['--network-volume v:1:/data', { mounts: { network: [{ volumeId: 'v:1', path: '/data' }] } }],
    ['--network-volume v1 --mount-path /m', { mounts: { network: [{ volumeId: 'v1', path: '/m' }] } }],
    ['--persistent-size 20', { mounts: { persistent: { size: 20, path: '/workspace' } } }],
    [
      '--start-ssh --start-jupyter --global-networking',
      { startSsh: true, startJupyter: true, globalNetworking: true, ports: ['22/tcp'] },
    ],
    ['--set gpu.count=4 --set anything.new=[1]', { gpu: { id: 'GPU-24G', count: 4 }, anything: { new: [1] } }],
  ])('%j', async (flags, members) => {
    const { method, url, body } = await preview('create', ...GPU, ...flags.split(' ').filter(Boolean));
    expect([method, new URL(url).pathname]).toEqual(['POST', '/v2/pods']);
    expect(body).toEqual({ name: 'lab', gpu: { id: 'GPU-24G', count: 1 }, image: 'example/a', disk: 20, ...members });
  });

  test.each([
    [[...GPU, '--mount-path', '/m'], /--mount-path needs something to mount/],
    [[...GPU, '--network-volume', 'v', '--persistent-size', '20'], /use either --network-volume or --persistent-size/],
    [[...GPU, '--cpu', 'cpu-general', '--vcpu', '2'], /use either --gpu or --cpu/],
    [[...GPU, '--min-ram-per-gpu', '0'], /--min-ram-per-gpu is at least 1/],
    [[...GPU, '--persistent-size', '5'], /--persistent-size is at least 10/],
    [[...GPU, '--env', 'A'], /--env takes NAME=VALUE/],
    [[...GPU, '--env', 'A\u0001=c'], /a name without white space/],
    [['lab', '--gpu', 'GPU-24G', '--image', 'a\u009b'], /REGISTRY\/NAME:TAG/],
    [[], /missing --name and --gpu or --cpu and --image or --template/],
  ])('refuses %j before anything is sent', async (flags, says) => {
    const { code, err } = await berth(['--local', 'pods', 'create', ...flags]);
    expect([code, err]).toEqual([2, expect.stringMatching(says)]);
  });

  it('shows the price, creates, waits and prints the id', async () => {
    const flags = ['--gpu-count', '2', '--cloud', 'COMMUNITY', '--wait'];
    const ran = await berth(['--local', 'pods', 'create', ...GPU, ...flags]);
    expect([ran.code, ran.out]).toEqual([0, 'pod-000001\n']);
    expect(ran.err).toBe('GPU-24G x2, COMMUNITY: $0.68/h\ncreated pod lab (pod-000001)\npod lab is RUNNING\n');
  });

  it('creates the pod even if the catalog cannot be read', async () => {
    const server = await serve([
      routed({
        'GET /v2/catalog/gpus': problem(403, 'access denied'),
        'POST /v2/pods': json({ id: 'p1', status: 'PROVISIONING' }, 201),
      }),
    ]);
    const ran = await berth(['pods', 'create', ...GPU, '-o', 'id'], { env: pointedAt(server.url) });
    expect([ran.code, ran.out]).toEqual([0, 'p1\n']);
  });

  it('tries several GPU types in order', async () => {
    const account = createAccount();
    await local(account, 'local stock set GPU-80G 0');
    const made = await local(account, 'pods create lab --image i --gpu GPU-80G --gpu GPU-24G --json');
    expect(JSON.parse(made)).toMatchObject({ gpu: { id: 'GPU-24G' } });
  });

  it('--until-available waits for room, and ends 9', async () => {
    const account = createAccount();
    await local(account, 'local stock set GPU-24G 0');
    expect((await account(POD)).code).toBe(5);
    const waited = await account(`${POD} --until-available 1m`);
    expect([waited.code, waited.out]).toEqual([9, '']);
    expect(await local(account, 'pods list --match lab -o id')).toBe('');
  });

  it('--start-ssh publishes 22/tcp, and warns where no key of this machine is in the account', async () => {
    const { out, err } = await createAccount()(`${POD} --start-ssh --json`);
    expect(JSON.parse(out)).toMatchObject({ ports: ['22/tcp'] });
    expect(err).toContain('no SSH key of this machine is in the account');
  });
});

describe('--idempotency-key', () => {
  const KEYED = [...POD.split(' '), '--idempotency-key', 'nightly'];

  test('two creates at once, and one from another data folder, make one pod', async () => {
    const { env } = await remoteService();
    const world = (data: string) => createTestWorld({ env: { ...env, BERTH_DATA_DIR: data } });
    const [one, other] = [temporaryDirectory(), temporaryDirectory()];
    const ran = await Promise.all([one, one, other].map((data) => berthIn(world(data), KEYED)));
    expect(
      ran.map(({ code }) => code),
      ran.map(({ err }) => err).join(''),
    ).toEqual([0, 0, 0]);
    expect(new Set(ran.map(({ out }) => out)).size).toBe(1);
    const listed = await berthIn(world(one), ['pods', 'list', '--match', 'lab', '-o', 'id']);
    expect(listed.out).toBe(ran[0]?.out);
  });

  test('a lost answer is looked for, and never sent again', async () => {
    const account = createAccount();
    await local(account, "local fault add accept-drop --count 1 --match 'POST /v2/pods'");
    const ran = await account(KEYED.join(' '));
    expect(ran.code, ran.err).toBe(0);
    expect(await local(account, 'pods list --match lab -o id')).toBe(ran.out.trim());
    const server = await serve([routed({ 'GET /v2/pods': json({ pods: [] }), 'POST /v2/pods': reset })]);
    const lost = await berth([...KEYED, '--quiet'], { env: pointedAt(server.url) });
    expect(lost.code, lost.err).toBe(8);
    expect(server.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});

const CREATE = 'pods create --name lab --image a/b:1';

const made = async (account: Account): Promise<unknown> =>
  JSON.parse(await local(account, `pods list --json --jq '[.[] | select(.name == "lab")]'`));

describe('--max-price', () => {
  test.each(['--gpu GPU-80G --gpu GPU-192G', '--gpu GPU-80G --until-available 6h', '--gpu GPU-80G --dry-run'])(
    'that every candidate is above ends at once with 15, and nothing was sent: %s',
    async (flags) => {
      const account = createAccount();
      const ran = await account(`${CREATE} ${flags} --max-price 1 --json`);
      expect([ran.code, ran.out, await made(account)]).toEqual([15, '', []]);
      expect(JSON.parse(ran.err)).toMatchObject({
        error: {
          code: 'limit-exceeded',
          message: expect.stringMatching(/^above --max-price \$1\.00\/h: GPU-80G \(\$[\d.]+\/h\)/) as string,
        },
      });
    },
  );

  test('is held against what the created pod costs: above it, it is terminated, and that is said', async () => {
    const remote = await remoteService(({ method, url }) =>
      method === 'POST' && url === '/v2/pods'
        ? {
            first: async () => {
              await remote.send('POST', '/local/prices', { hardware: 'GPU-80G', price: 9 });
            },
          }
        : undefined,
    );
    const ran = await berth([...CREATE.split(' '), '--gpu', 'GPU-80G', '--max-price', '2.50'], { env: remote.env });
    expect([ran.code, ran.out, ran.err]).toEqual([
      15,
      '',
      expect.stringMatching(/costs \$9\.00\/h, above --max-price: terminated/),
    ]);
    expect((await remote.send('GET', '/v2/pods')).text).not.toContain('"lab"');
  });
});

test('create --wait of a pod that ends in ERROR names what says why, and what ends its cost', async () => {
  const account = createAccount();
  const ran = await account('pods create --name lab --gpu GPU-24G --image a/does-not-start --wait', { columns: 400 });
  expect(ran.code, ran.err).toBe(10);
  expect(ran.err).toMatch(
    /error: pod (\S+) is ERROR, not reachable\n.*Run berth --local pods explain \1, then berth --local pods terminate \1\n/,
  );
});

test('create goes on with the next GPU type after a 400 that says there is no room', async () => {
  const account = createAccount();
  await local(account, "local fault add refuse --count 1 --detail 'oops: no resources to deploy your pod'");
  const id = await local(account, 'pods create lab --gpu GPU-24G --gpu GPU-48G --image a/b --disk 20 -o id');
  expect(await local(account, `pods get ${id} --json`)).toContain('GPU-48G');
});

test('a refused create names the GPU that may be meant', async () => {
  const account = createAccount();
  await local(account, "local fault add refuse --count 1 --detail 'this cannot be'");
  const { code, err } = await account('pods create lab --gpu GPU-24H --image a/b');
  expect([code, err]).toEqual([5, expect.stringMatching(/^error: .*this cannot be\n.*Did you mean GPU-24G\?/)]);
});
