import { describe, expect, it, test } from 'vitest';
import { PODS } from '../../../support/output/pods.ts';
import { json, pointedAt, serve, text } from '../../../support/servers/scripted-server.ts';
import { works } from '../../../support/worlds/expect-run.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

const POD = '{"id":"p1","name":"web","status":"EXITED","count":9007199254740993}';

async function run(line: string, ...flags: readonly string[]) {
  const server = await serve([text(POD, 200, { 'content-type': 'application/json' })]);
  const ran = await berth([...line.split(' '), ...flags], { env: pointedAt(server.url) });
  return { ...ran, sent: server.seen.map(({ method }) => method) };
}

describe('a --jq filter', () => {
  const filtered = async (jq: string, flags: readonly string[] = [], tty = false) =>
    (await works(['pods', 'list', '--jq', jq, ...flags], [json(PODS)], { tty: { stdout: tty } })).out;

  test.each([
    ['.[0].id', [], '"pod-7f3a9c01"\n'],
    ['.[0].runtime.gpus[0].memoryUtil', [], '9007199254740993\n'],
    ['.[0:2][] | {id, cost}', ['-o', 'jsonl'], '{"id":"pod-7f3a9c01","cost":1.19}\n{"id":"pod-2","cost":0.0}\n'],
    ['.[1] | {id}', ['-o', 'json'], '{\n  "id": "pod-2"\n}\n'],
    ['empty', [], ''],
    ['-1', [], '-1\n'],
    ['map(select(.status | test("^R"))) | length', [], '1\n'],
  ])('%s %j prints its results', async (jq, flags, expected) => {
    expect(await filtered(jq, flags)).toBe(expected);
  });

  test('that prints raw text on a terminal escapes its control characters', async () => {
    expect(await filtered('.[4].name', ['--raw'], true)).toBe('\\u202egnp.exe\\u2066 \\x85c1\ttab\n');
  });

  test('is applied to each row of a stream', async () => {
    const end = [json([]), json({ id: 'job1', status: 'COMPLETED' }), json([])];
    const argv = ['jobs', 'stream', 'ep1', 'job1', '--jq', '.output', '-o', 'json'];
    expect((await works(argv, [json([{ output: 1 }, { output: [2] }]), ...end])).out).toBe('1\n[\n  2\n]\n');
  });

  test('that runs out of memory is one clear error, and the next one works', async () => {
    const { code, err } = await run('pods get p1', '--jq', 'reduce range(40) as $_ ("x" * 1000; . + .) | length');
    expect([code, err]).toEqual([1, expect.stringContaining('--jq: the built-in jq ran out of memory (256 MB)')]);
    expect((await run('pods get p1', '--jq', '.id')).out).toBe('"p1"\n');
  });
});

describe('a --jq filter that does not compile ends 2 and sends nothing', () => {
  it.each(['pods get p1', 'pods stop p1', 'pods terminate p1', 'volumes create', 'jobs run demo --input {}'])(
    '%s',
    async (line) => {
      const { code, out, err, sent } = await run(line, '--jq', '.a |');
      expect([code, out, sent]).toEqual([2, '', []]);
      expect(err).toContain('--jq: syntax error');
    },
  );
});

describe('a --jq filter that fails on the answer ends 1', () => {
  test('after a read: the error is the message of jq only', async () => {
    const { code, out, err } = await run('pods get p1', '--jq', '.id.x');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^error: --jq: Cannot index string with string \("?x"?\)\n {2}-> Look at what --json prints/);
    expect(err).not.toMatch(/completed the request/);
  });

  test('after a write: the error says that the write was done and prints the answer', async () => {
    const { code, out, err, sent } = await run('pods stop p1', '--jq', '.name, .id.x', '--raw');
    expect([code, out, sent]).toEqual([1, 'web\n', ['POST']]);
    expect(err).toMatch(/^error: --jq: Cannot index string/);
    expect(err).toContain('  -> The service completed the request: p1\n  -> Check the result first');
  });

  test('after a stream: the error says that the job was submitted', async () => {
    const line = '--local jobs run stream --input {"chunks":1} --stream --jq .output.text.x';
    const { code, out, err } = await berth(line.split(' '));
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/submitted job (\S+)\n[^]*-> The service completed the request: \1\n/);
  });
});
