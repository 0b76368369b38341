import { describe, expect, it, test } from 'vitest';
import { pointedAt, serve, text } from '../../../support/servers/scripted-server.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

const POD = '{"id":"p1","name":"web","status":"EXITED","count":9007199254740993}';

async function run(line: string, ...flags: readonly string[]) {
  const server = await serve([text(POD, 200, { 'content-type': 'application/json' })]);
  const ran = await berth([...line.split(' '), ...flags], { env: pointedAt(server.url) });
  return { ...ran, sent: server.seen.map(({ method }) => method) };
}

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
