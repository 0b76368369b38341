import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { json, pointedAt, problem, reset, routed, serve, text } from '../../../support/servers/scripted-server.ts';
import { answerQuestion } from '../../../support/worlds/answer-question.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

const POD = 'pods create lab --gpu GPU-24G --image example/pytorch:2.8';

describe('create', () => {
  test('says its price and what it made; in a pipe the id is on stdout', async () => {
    const { code, out, err } = await createAccount()(POD);
    expect([code, out]).toEqual([0, expect.stringMatching(/^pod-\w+\n$/)]);
    expect(err).toMatch(/^GPU-24G x1, SECURE: \$\d+\.\d\d\/h\ncreated pod lab \(pod-\w+\)\n$/);
  });

  test('tries several GPU types in order, none above a price', async () => {
    const account = createAccount();
    await local(account, 'local stock set GPU-80G 0');
    const made = await local(account, `${POD} --gpu GPU-80G --gpu GPU-24G --json`.replace('--gpu GPU-24G ', ''));
    expect(JSON.parse(made)).toMatchObject({ gpu: { id: 'GPU-24G' } });
    const limited = await account(`${POD} --max-price 0.01`);
    expect([limited.code, limited.out]).toEqual([15, '']);
  });

  test('--until-available waits for room, and ends 9', async () => {
    const account = createAccount();
    await local(account, 'local stock set GPU-24G 0');
    expect((await account(POD)).code).toBe(5);
    const waited = await account(`${POD} --until-available 1m`);
    expect([waited.code, waited.out]).toEqual([9, '']);
    expect(await local(account, 'pods list --match lab -o id')).toBe('');
  });

  test('--start-ssh publishes 22/tcp, and warns where no key of this machine is in the account', async () => {
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

describe('stop, start and terminate', () => {
  test('say one line; what is so already is unchanged', async () => {
    const account = createAccount();
    expect(await account('pods stop pod-train')).toMatchObject({ code: 0, out: '', err: 'stopped pod train-llm\n' });
    const again = await account('pods stop pod-train --json');
    expect([again.code, JSON.parse(again.out)]).toMatchObject([0, { status: 'EXITED' }]);
    expect((await account('pods start pod-train')).err).toMatch(/^started pod train-llm \(\$\d+\.\d\d\/h\)\n$/);
    expect((await account('pods stop pod-web')).err).toContain('pods update pod-web --locked off');
  });

  test('a locked pod is not terminated without --force', async () => {
    const account = createAccount();
    expect((await account('pods terminate pod-web --yes')).code).toBe(5);
    expect((await account('pods terminate pod-web --yes --force')).code).toBe(0);
    expect((await account('pods terminate pod-notebook')).code).toBe(2);
  });

  test('several: an outcome each, and the worst exit code', async () => {
    const { code, out } = await createAccount()('pods stop pod-train pod-web --json');
    expect([code, JSON.parse(out)]).toMatchObject([5, [{ ok: true }, { ok: false }]]);
  });

  test('what a selector chose is asked about', async () => {
    const account = createAccount();
    expect((await account("pods stop --match 'train-*'")).code).toBe(2);
    const world = createTestWorld({ env: { BERTH_LOCAL: '1' }, tty: true, columns: 200 });
    const ran = await answerQuestion(world, ['pods', 'stop', '--match', 'train-*'], 'Continue', 'y');
    expect(ran.code, ran.err).toBe(0);
  });
});

describe('update', () => {
  test('of what restarts a running container asks, and needs --yes in a script', async () => {
    const account = createAccount();
    const line = 'pods update pod-train --image other:1';
    expect(await account(line)).toMatchObject({ code: 2, err: expect.stringContaining('restarts (image)') as string });
    expect(await account(`${line} --yes`)).toMatchObject({ code: 0, err: 'updated pod train-llm\n' });
    expect((await account('pods update pod-train --name a')).code).toBe(0);
  });
});

describe('wait', () => {
  test('goes on while the service is unreachable, and ends as the pod does', async () => {
    const pod = (status: string) => json({ id: 'p1', name: 'lab', status, ports: [] });
    const server = await serve([pod('STARTING'), problem(503, 'down'), pod('RUNNING')]);
    const ran = await berth(['pods', 'wait', 'p1'], { env: pointedAt(server.url) });
    expect(ran, ran.err).toMatchObject({ code: 0, err: 'pod lab is reachable\n' });
    const failed = await serve([pod('ERROR')]);
    expect((await berth(['pods', 'wait', 'p1'], { env: pointedAt(failed.url) })).code).toBe(10);
    const denied = await serve([problem(401, 'no')]);
    expect((await berth(['pods', 'wait', 'p1'], { env: pointedAt(denied.url) })).code).toBe(3);
  });

  test('a pod that is gone is TERMINATED', async () => {
    const server = await serve([json({ id: 'p1', status: 'RUNNING' }), problem(404, 'gone')]);
    const ran = await berth(['pods', 'wait', 'p1', '--for', 'TERMINATED'], { env: pointedAt(server.url) });
    expect(ran, ran.err).toMatchObject({ code: 0 });
  });
});

test('a dry run prints one request for each pod, and sends none', async () => {
  const server = await serve([
    routed({ 'GET /v2/pods/p1': json({ id: 'p1' }), 'GET /v2/pods/p2': json({ id: 'p2' }) }, text('', 404)),
  ]);
  const ran = await berth(['pods', 'stop', 'p1', 'p2', '--dry-run'], { env: pointedAt(server.url) });
  expect([ran.code, JSON.parse(ran.out)]).toMatchObject([0, [{ method: 'POST' }, { method: 'POST' }]]);
  expect(server.seen.every(({ method }) => method === 'GET')).toBe(true);
});
