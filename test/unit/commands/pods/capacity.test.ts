import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { berth } from '../../../support/worlds/run-berth.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';

const CREATE = 'pods create --name lab --image a/b:1';
const TWO = `${CREATE} --gpu GPU-80G --gpu GPU-24G --data-center EU-NORTH-1 --data-center US-EAST-1`;

interface Row {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly cost: number;
  readonly dataCenterId: string;
  readonly gpu?: { readonly id: string };
  readonly env: Readonly<Record<string, string>>;
}

type Account = ReturnType<typeof createAccount>;

const made = async (account: Account): Promise<readonly Row[]> =>
  (JSON.parse(await local(account, 'pods list --json')) as readonly Row[]).filter(({ name }) => name === 'lab');

const placed = ({ gpu, dataCenterId }: Row): string => `${gpu?.id ?? '?'} ${dataCenterId}`;

describe('candidates of pods create', () => {
  test('are tried in the order given: GPU types, and for each the data centers', async () => {
    const account = createAccount();
    await local(account, TWO);
    expect((await made(account)).map(placed)).toEqual(['GPU-80G EU-NORTH-1']);
  });

  test.each([
    ['GPU-80G --data-center EU-NORTH-1', 'GPU-80G US-EAST-1'],
    ['GPU-80G', 'GPU-24G EU-NORTH-1'],
  ])('without stock of %s it is %s', async (none, where) => {
    const account = createAccount();
    await local(account, `local stock set ${none} none`.replace(/(GPU-80G)(.*) none/, '$1 none$2'));
    await local(account, TWO);
    expect((await made(account)).map(placed)).toEqual([where]);
  });

  test('are tried by price with --prefer price, and what it became is said', async () => {
    const account = createAccount();
    const ran = await account(`${TWO} --prefer price`);
    expect(ran.err).toMatch(/^Pod pod-\w+ \(lab\) has 1 x GPU-24G in EU-NORTH-1, for \$0\.\d+ an hour\.$/m);
    expect((await made(account)).map(placed)).toEqual(['GPU-24G EU-NORTH-1']);
  });

  test('a dry run shows them in their order with price and stock, and sends nothing', async () => {
    const account = createAccount();
    await local(account, 'local stock set GPU-24G none --data-center EU-NORTH-1');
    const ran = await account(`${TWO} --gpu-count 2 --prefer price --dry-run`);
    const bodies = (JSON.parse(ran.out) as { body: { gpu: unknown; dataCenterIds: unknown } }[]).map(({ body }) => [
      body.gpu,
      body.dataCenterIds,
    ]);
    expect(bodies).toEqual([
      [{ id: 'GPU-24G', count: 2 }, ['US-EAST-1']],
      [{ id: 'GPU-80G', count: 2 }, ['EU-NORTH-1']],
      [{ id: 'GPU-80G', count: 2 }, ['US-EAST-1']],
    ]);
    expect(ran.err).toMatch(/^GPU-24G\tEU-NORTH-1\t\$1\.38\tNONE$/m);
    expect(ran.err).toMatch(/^GPU-80G\tUS-EAST-1\t\$4\.78\tHIGH$/m);
    expect(await made(account)).toEqual([]);
  });

  test('a dry run has no request for one above the price', async () => {
    const account = createAccount();
    const ran = await account(`${TWO} --max-price 1 --dry-run`);
    const gpus = (JSON.parse(ran.out) as { body: { gpu: { id: string } } }[]).map(({ body }) => body.gpu.id);
    expect(new Set(gpus)).toEqual(new Set(['GPU-24G']));
  });

  test.each([
    ['a GPU type that is not there', '--gpu GPU-81G', /no GPU type GPU-81G/],
    ['a data center that is not there', '--gpu GPU-80G --data-center MOON', /no data center MOON/],
    ['more than one pod may have', '--gpu GPU-80G --gpu-count 9', /at most 8 GPU-80G/],
    ['a cloud without it', '--gpu GPU-192G --cloud COMMUNITY', /COMMUNITY cloud has no GPU-192G/],
    [
      'a volume elsewhere',
      '--gpu GPU-80G --network-volume vol-datasets --data-center US-WEST-1',
      /volume vol-datasets is in EU-NORTH-1/,
    ],
    ['a price that is none', '--gpu GPU-80G --max-price cheap', /not an amount in US dollars/],
    ['a key with a space', "--gpu GPU-80G --idempotency-key 'a b'", /letters, digits/],
    ['no GPU to wait for', '--cpu cpu-general --vcpu 2', /--until-available is for pods with a GPU/],
  ])('what can never fit ends at once with 2: %s', async (_, flags, says) => {
    const account = createAccount();
    const ran = await account(`${CREATE} ${flags} --until-available 6h`);
    expect([ran.code, ran.err.replace(/\s+/g, ' ')]).toEqual([2, expect.stringMatching(says)]);
    expect(await made(account)).toEqual([]);
  });

  test('a volume fixes the data center, which is said', async () => {
    const account = createAccount();
    const ran = await account(`${CREATE} --gpu GPU-16G --gpu GPU-80G --network-volume vol-datasets --max-price 3`);
    expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('is in EU-NORTH-1: only there')]);
    expect((await made(account)).map(placed)).toEqual(['GPU-16G EU-NORTH-1']);
  });
});

describe('--until-available', () => {
  test('waits until there is stock, and creates one pod', async () => {
    const account = createAccount();
    await local(account, 'local stock set GPU-80G none --for 40m');
    await local(account, 'local stock set GPU-24G none --for 20m');
    await local(account, `${CREATE} --gpu GPU-80G --gpu GPU-24G --until-available 6h`);
    expect((await made(account)).map(placed)).toEqual(['GPU-24G EU-NORTH-1']);
    const now = await local(account, 'local clock show --jq .now --raw');
    expect(Date.parse(now) - Date.UTC(2026, 0, 1)).toBeLessThan(25 * 60_000);
  });

  test('ends with 9 when the time is over, and nothing was created', async () => {
    const account = createAccount();
    await local(account, 'local stock set GPU-80G none');
    const ran = await account(`${CREATE} --gpu GPU-80G --until-available 30m --json`);
    expect([ran.code, ran.out]).toEqual([9, '']);
    expect(ran.err).toMatch(/waited 30m for a candidate with room: nothing was created/);
    expect(ran.err).toMatch(/Waiting for a GPU: GPU-80G: none; \d+s of 30m/);
    expect(await made(account)).toEqual([]);
  });

  test('asks again for what the catalog has and the service refuses, never sooner than 15 seconds', async () => {
    const account = createAccount();
    await local(account, "local fault add refuse --match 'POST /v2/pods' --count 4");
    const ran = await account(`${CREATE} --gpu GPU-80G --until-available 1h --verbose`);
    expect([ran.code, (await made(account)).length]).toEqual([0, 1]);
    expect(ran.err.match(/POST \S*\/v2\/pods\b/g)?.length).toBeGreaterThanOrEqual(5);
    const waited = ran.world.clock.slept.filter((each) => each >= 15_000);
    expect(waited.length).toBeGreaterThanOrEqual(4);
  });

  test.each([
    ['no money', 'low-balance', 5, /balance of the account is too low/],
    ['what is not known to mean no room', "refuse --detail 'ports: at most 10'", 5, /ports: at most 10/],
    ['the last candidate that is not allowed', 'forbidden', 3, /may not do this/],
  ])('ends at once for %s', async (_, fault, code, says) => {
    const account = createAccount();
    await local(account, `local fault add ${fault} --match 'POST /v2/pods'`);
    const ran = await account(`${CREATE} --gpu GPU-80G --gpu GPU-24G --until-available 6h`);
    expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(says)]);
    expect(await made(account)).toEqual([]);
  });
});

describe('--start-timeout', () => {
  test('a pod that is not RUNNING in time is terminated, and the next candidate is tried', async () => {
    const account = createAccount();
    const ran = await account(`${TWO} --start-timeout 1s`);
    expect([ran.code, ran.err]).toEqual([9, expect.stringMatching(/was not RUNNING within 1s: it was terminated/)]);
    expect(ran.err.match(/was terminated\./g)).toHaveLength(4);
    expect(await made(account)).toEqual([]);
  });

  test('a pod that runs in time is kept', async () => {
    const account = createAccount();
    await local(account, `${TWO} --start-timeout 10m`);
    expect((await made(account)).map(({ status }) => status)).toEqual(['RUNNING']);
  });

  test('a pod in ERROR is left, and ends it with 10', async () => {
    const account = createAccount();
    const ran = await account(
      'pods create --name lab --image example/does-not-start:1 --gpu GPU-80G --start-timeout 10m',
    );
    expect([ran.code, (await made(account)).length]).toEqual([10, 1]);
  });
});

describe('--idempotency-key', () => {
  const KEYED = `${CREATE} --gpu GPU-80G --idempotency-key train-7`;

  test('a pod with the key is returned, not made again, and shows it', async () => {
    const account = createAccount();
    const first = await local(account, `${KEYED} -o id`);
    const again = await account(`${KEYED} -o id`);
    expect([again.code, again.out.trim()]).toEqual([0, first]);
    expect(again.err).toContain('has the key train-7');
    const [pod, ...others] = await made(account);
    expect([pod?.env['BERTH_CREATE_KEY'], others]).toEqual(['train-7', []]);
  });

  test('what the pod with the key costs and how it differs is said, and not the price of another one', async () => {
    const account = createAccount();
    const id = await local(account, `${KEYED} -o id`);
    const same = await account(KEYED);
    expect(same.err).toContain(`Pod ${id} (lab) has the key train-7, and costs $2.39 an hour: no other is created.\n`);
    const other = await account(
      'pods create --name lab --image a/b:2 --gpu GPU-24G --gpu-count 8 --idempotency-key train-7',
    );
    expect(other.err).toContain('It is not what is asked for now: other gpu.id, image, gpu.count.');
    for (const ran of [same, other]) expect([ran.code, ran.err.match(/until it is stopped/g)]).toEqual([0, null]);
  });

  test('a dry run says that the pod is there, and has no request', async () => {
    const account = createAccount();
    const id = await local(account, `${KEYED} -o id`);
    const ran = await account(`${KEYED} --dry-run --json`);
    expect([ran.code, ran.out]).toEqual([0, '[]\n']);
    expect(ran.err).toContain(`Pod ${id} (lab) has the key`);
  });

  test('the key is no secret: it is shown where other keys are hidden', async () => {
    const account = createAccount();
    const first = await local(account, `${KEYED} --env API_KEY=hidden -o id`);
    const shown = (await account(`pods get ${first}`, { tty: true })).out;
    expect([shown.includes('train-7'), shown.includes('hidden')]).toEqual([true, false]);
  });

  test('a key that cannot be kept on the disk ends it with 14, and nothing is sent', async () => {
    const remote = await remoteService();
    const file = path.join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    const env = { ...remote.env, BERTH_DATA_DIR: path.join(file, 'data') };
    const ran = await berth([...KEYED.split(' ')], { env });
    expect([ran.code, ran.out]).toEqual([14, '']);
    expect(remote.server.seen.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('without a list nothing is known: a lost answer stays unknown (8), and the next run finds the pod', async () => {
    let isLost = true;
    const remote = await remoteService(({ method, url }) => {
      if (!isLost || !url.startsWith('/v2/pods')) return undefined;
      if (method === 'POST') return 'lose';
      return remote.server.seen.some((each) => each.method === 'POST') ? { refuse: 503 } : undefined;
    });
    const env = { ...remote.env, BERTH_DATA_DIR: temporaryDirectory() };
    const lost = await berth([...KEYED.split(' ')], { env });
    expect([lost.code, lost.err]).toEqual([8, expect.stringContaining('--idempotency-key train-7')]);
    isLost = false;
    const found = await berth([...KEYED.split(' '), '-o', 'id'], { env });
    expect([found.code, found.out]).toEqual([0, expect.stringMatching(/^pod-\w+\n$/)]);
    const pods = (await remote.send('GET', '/v2/pods')).body['pods'] as readonly Row[];
    expect(pods.filter(({ name }) => name === 'lab')).toHaveLength(1);
  });

  test('a CPU pod takes it too, and another key makes another pod', async () => {
    const account = createAccount();
    const cpu = `${CREATE} --cpu cpu-general --vcpu 2 --idempotency-key`;
    for (const key of ['a', 'a', 'b']) await local(account, `${cpu} ${key} -o id`);
    expect(await made(account)).toHaveLength(2);
  });

  test('a pod made from what get printed has not the key of the other one', async () => {
    const account = createAccount();
    const first = await local(account, `${KEYED} -o id`);
    const yaml = await local(account, `pods get ${first} -o json`);
    const copied = await account('pods create --file - --set name=lab', { stdin: yaml });
    expect(copied.code, copied.err).toBe(0);
    expect((await made(account)).map(({ env }) => env['BERTH_CREATE_KEY']).toSorted()).toEqual(['train-7', undefined]);
  });
});
