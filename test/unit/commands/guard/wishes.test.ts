import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

const WISH = 'pods create --name lab --image a/b:1 --until-available 2h --detach --idempotency-key k';

interface Row {
  readonly key: string;
  readonly state: string;
  readonly why?: string;
  readonly pod?: string;
}

type Account = ReturnType<typeof createAccount>;

const wishes = async (account: Account): Promise<readonly Row[]> =>
  JSON.parse(await local(account, 'guard wishes list --json')) as readonly Row[];

const made = (account: Account): Promise<string> =>
  local(account, 'pods list --jq \'map(select(.name=="lab").env.BERTH_CREATE_KEY) | join(",")\' -r');

/** An account without a GPU-80G for the next half hour, and a wish for one. */
async function withWish(flags = '--gpu GPU-80G'): Promise<Account> {
  const account = createAccount();
  await local(account, 'local stock set GPU-80G none --for 30m');
  const ran = await account(`${WISH} ${flags}`);
  expect([ran.code, ran.out, ran.err]).toEqual([0, '', expect.stringContaining('nothing was created yet')]);
  if (flags === '--gpu GPU-80G') expect(ran.err).toMatch(/In this order: GPU-80G \(\$2\.\d\d an hour, none\)\./);
  return account;
}

describe('a wish', () => {
  test('is tried by each guard run, and becomes one pod once there is room', async () => {
    const account = await withWish();
    await local(account, 'guard run');
    expect(await wishes(account)).toMatchObject([{ key: 'k', state: 'waiting', why: 'GPU-80G: none' }]);
    await local(account, 'local clock advance 31m');
    const ran = await account('guard run');
    expect([ran.code, ran.err]).toEqual([
      0,
      expect.stringMatching(
        /Wish k has its pod\. Pod pod-\w+ \(lab\) has 1 x GPU-80G in [\w-]+, for \$2\.\d\d an hour\./,
      ),
    ]);
    await local(account, 'local clock advance 1m');
    await local(account, 'guard run');
    expect([await made(account), await wishes(account)]).toMatchObject(['k', [{ state: 'made' }]]);
  });

  test('is not tried again right after another guard, and its reason is said to be of then', async () => {
    const account = await withWish();
    expect((await account('guard run')).err).toMatch(/Wish k waits until \S+: GPU-80G: none\.\n/);
    await local(account, 'local clock advance 8s');
    expect((await account('guard run')).err).toMatch(/: GPU-80G: none \(tried \d+s ago\)\.\n/);
  });

  test('is named by a dry run, with the price of now, and not tried', async () => {
    const account = await withWish();
    await local(account, 'local clock advance 31m');
    const ran = await account('guard run --dry-run');
    expect([ran.code, ran.err]).toEqual([
      0,
      expect.stringMatching(/Wish k would be tried: GPU-80G \(\$2\.\d\d an hour, (?:low|medium|high)\)\.\n/),
    ]);
    expect([await made(account), await wishes(account)]).toMatchObject(['', [{ state: 'waiting' }]]);
  });

  test('of a dry run would do what the run does: not be tried again yet, have its pod, or end with its time', async () => {
    const account = await withWish();
    const would = async (): Promise<string | undefined> =>
      /Wish k would .*/.exec((await account('guard run --dry-run')).err)?.[0];
    await local(account, 'guard run');
    await local(account, 'local clock advance 8s');
    expect(await would()).toMatch(/would not be tried yet: it was tried \ds ago\.$/);
    await local(account, 'local clock advance 3h');
    expect(await would()).toBe('Wish k would end: its time is over, and nothing was created.');
    expect(await wishes(account)).toMatchObject([{ state: 'waiting' }]);
    await local(account, 'pods create --name lab --gpu GPU-24G --image a/b:1 --env BERTH_CREATE_KEY=k');
    expect(await would()).toMatch(/^Wish k would end: it has its pod\. Pod pod-\w+ \(lab\) has 1 x GPU-24G/);
    expect((await account('guard run')).err).toContain('Wish k has its pod.');
  });

  test('is cancelled by the name of its pod too; of a name that several have, the keys are named', async () => {
    const account = await withWish();
    await local(account, 'guard wishes cancel lab');
    expect(await wishes(account)).toMatchObject([{ key: 'k', state: 'cancelled' }]);
    expect((await account(`${WISH}1 --gpu GPU-80G`)).err).toMatch(/Cancel it: berth .*guard wishes cancel k1$/m);
    await local(account, 'guard wishes cancel k1');
    await account(`${WISH}2 --gpu GPU-80G`);
    await account(`${WISH}3 --gpu GPU-80G`);
    const several = await account('guard wishes cancel lab');
    expect([several.code, several.err]).toEqual([
      2,
      expect.stringMatching(/2 wishes that wait are for a pod named "lab"\n.*Use a key: k2, k3/),
    ]);
    await local(account, 'guard wishes cancel k2');
    await local(account, 'guard wishes cancel lab');
    expect((await wishes(account)).map(({ state }) => state)).toEqual(Array(4).fill('cancelled'));
    const none = await account('guard wishes cancel nothing');
    expect([none.code, none.err]).toEqual([4, expect.stringMatching(/the name nothing waits.*\n.*guard wishes list/)]);
    expect((await account('guard wishes cancel lab')).err).toContain('(it is cancelled already)');
  });

  test('with the name of another as its key is the one that the key stands for', async () => {
    const account = await withWish();
    await account(`${WISH.replace('name lab', 'name k').replace('key k', 'key other')} --gpu GPU-80G`);
    await local(account, 'guard wishes cancel k');
    expect(await wishes(account)).toMatchObject([
      { key: 'k', state: 'cancelled' },
      { key: 'other', state: 'waiting' },
    ]);
  });

  test('keeps the numbers of its pod, however they are written', async () => {
    const account = await withWish('--gpu GPU-80G --set disk=30.0');
    await local(account, 'local clock advance 31m');
    await local(account, 'guard run');
    expect(await local(account, 'pods list --jq \'map(select(.name=="lab").disk)[0]\'')).toBe('30');
  });

  test('ends when its time is over, and when it is cancelled', async () => {
    const over = await withWish();
    await local(over, 'local stock set GPU-80G none');
    await local(over, 'local clock advance 3h');
    await local(over, 'guard run');
    expect(await wishes(over)).toMatchObject([{ state: 'over' }]);

    const cancelled = await withWish();
    await local(cancelled, 'guard wishes cancel k');
    expect((await cancelled('guard wishes cancel k')).code).toBe(4);
    await local(cancelled, 'local clock advance 1h');
    await local(cancelled, 'guard run');
    expect([await made(cancelled), await wishes(cancelled)]).toMatchObject(['', [{ state: 'cancelled' }]]);
  });

  test('whose pod is there cannot be cancelled any more: the pod and what ends its cost are named', async () => {
    const account = await withWish();
    await local(account, 'local clock advance 31m');
    await local(account, 'guard run');
    const [wish] = await wishes(account);
    const ran = await account('guard wishes cancel k');
    expect([ran.code, ran.err.replace(/\s+/g, ' ')]).toEqual([
      4,
      expect.stringMatching(/\(the pod (pod-\w+) was created for it\) -> To end its cost: berth .*pods terminate \1 /),
    ]);
    expect(ran.err).toContain(wish?.pod);
  });

  test('that is cancelled after a guard created its pod, and was killed before it wrote that down, names the pod', async () => {
    const account = await withWish();
    await local(account, 'guard run');
    await local(account, 'pods create --name lab --gpu GPU-24G --image a/b:1 --env BERTH_CREATE_KEY=k');
    const ran = await account('guard wishes cancel k');
    expect([ran.code, ran.err]).toEqual([
      0,
      expect.stringMatching(/A guard had created its pod already\. Pod pod-\w+ \(lab\)/),
    ]);
    expect(ran.err).toMatch(/pods terminate pod-/);
  });

  test('ends with the reason when no candidate can help', async () => {
    const account = await withWish();
    await local(account, 'local clock advance 31m');
    await local(account, "local fault add low-balance --match 'POST /v2/pods'");
    await local(account, 'guard run');
    expect(await wishes(account)).toMatchObject([{ state: 'refused', why: expect.stringContaining('402') as string }]);
  });

  test('is the same when the same command is run again, and says why it has no pod until there is one', async () => {
    const account = await withWish();
    await local(account, 'guard run');
    await local(account, 'local clock advance 1m');
    const [before] = await wishes(account);
    const again = await account(`${WISH} --gpu GPU-80G`);
    expect([again.code, again.err]).toEqual([0, expect.stringContaining('Kept already with the key k, until')]);
    expect(await wishes(account)).toEqual([before]);
    await local(account, 'local clock advance 31m');
    await local(account, 'guard run');
    const [made] = await wishes(account);
    expect([before?.why, made?.state, made?.why]).toEqual(['GPU-80G: none', 'made', undefined]);
  });

  test('is not made of what can never fit, and no other is made with its key', async () => {
    const account = await withWish();
    const refused = async (flags: string): Promise<string> => {
      const ran = await account(`${WISH} ${flags}`);
      expect(ran.code).toBe(2);
      return ran.err;
    };
    const other = await refused('--gpu GPU-80G --env A=1 --max-price 3');
    expect(other.replace(/\s+/g, ' ')).toContain('a wish with the key k waits already, with another env, placement');
    expect(other.replace(/\s+/g, ' ')).toContain('guard wishes cancel k');
    expect(await refused('--gpu GPU-81G')).toContain('no GPU type GPU-81G');
    expect(await refused('--gpu GPU-80G --start-timeout 5m')).toContain('--start-timeout exclude each other');
  });

  test('is kept for this user alone, and its variables no longer than it waits', async () => {
    const remote = await remoteService();
    const directory = temporaryDirectory();
    const env = { ...remote.env, BERTH_DATA_DIR: directory };
    const secret = 'a-secret-of-the-wish';
    const ran = await berth([...WISH.split(' '), '--gpu', 'GPU-80G', '--env', `TOKEN=${secret}`], { env });
    expect(ran.code, ran.err).toBe(0);
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(directory, name))
      .filter((file) => statSync(file).isFile());
    const holding = () => files.filter((file) => readFileSync(file, 'utf8').includes(secret));
    expect(holding().map((file) => statSync(file).mode & 0o777)).toEqual([0o600]);
    expect((await berth(['guard', 'run'], { env })).code).toBe(0);
    expect(holding()).toEqual([]);
    expect((await remote.send('GET', '/v2/pods')).text).toContain(secret);
  });

  test('is not lost while another account of the profile has one, whose key ends in the same characters', async () => {
    const remote = await remoteService();
    const directory = temporaryDirectory();
    const as = (key: string, line: string) =>
      berth(line.split(' '), { env: { ...remote.env, BERTH_DATA_DIR: directory, BERTH_API_KEY: key } });
    for (const key of ['one-key-of-an-account', 'two-key-of-an-account']) {
      const ran = await as(key, `${WISH.replace('lab', key)} --gpu GPU-80G`);
      expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('Kept with the key k')]);
    }
    for (const key of ['one-key-of-an-account', 'two-key-of-an-account']) {
      const ran = await as(key, 'guard wishes list --json');
      expect(JSON.parse(ran.out)).toMatchObject([{ key: 'k', name: key, state: 'waiting' }]);
    }
  });

  test('is of the account of its key, wherever a guard has the key from', async () => {
    const remote = await remoteService();
    const directory = temporaryDirectory();
    const file = path.join(directory, 'key');
    writeFileSync(file, 'key-of-the-account\n');
    const { BERTH_API_KEY: _, ...others } = { BERTH_API_KEY: '', ...remote.env, BERTH_DATA_DIR: directory };
    const kept = await berth([...WISH.split(' '), '--gpu', 'GPU-80G'], {
      env: { ...others, BERTH_API_KEY: 'key-of-the-account' },
    });
    expect(kept.code, kept.err).toBe(0);
    const ran = await berth(['guard', 'run'], { env: { ...others, BERTH_API_KEY_FILE: file } });
    expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('Wish k has its pod.')]);
    const status = await berth(['guard', 'status'], { env: { ...others, BERTH_API_KEY: 'key-of-the-account' } });
    expect([status.code, status.err]).toEqual([0, expect.stringMatching(/A guard last ran|last ran/)]);
  });
});
