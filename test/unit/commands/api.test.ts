import { describe, expect, it } from 'vitest';
import { answerQuestion } from '../../support/worlds/answer-question.ts';
import { berth } from '../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../support/worlds/test-world.ts';
import { json, pointedAt, serve, text } from '../../support/servers/scripted-server.ts';

async function api(...argv: readonly string[]) {
  const server = await serve([json({ ok: true })]);
  return { server, ...(await berth(['api', ...argv, '--yes'], { env: pointedAt(server.url) })) };
}

describe('berth api', () => {
  it.each([
    [['-F', 'size="50"', '-F', 'count=2'], { size: '50', count: 2 }],
    [['-F', 'ports=["80/http"]', '-F', 'name=web'], { ports: ['80/http'], name: 'web' }],
    [['-F', 'a=1', '-F', 'b=x', '-F', 'a=true', '-F', 'a="3"'], { a: [1, true, '3'], b: 'x' }],
    [['-F', 'a=[1]', '-F', 'a=[2]'], { a: [[1], [2]] }],
  ])('the fields %j give the body %j', async (fields, body) => {
    const { server, code } = await api('POST', '/v2/pods', ...fields);
    expect([code, server.seen.map((seen) => JSON.parse(seen.body.toString()) as unknown)]).toEqual([0, [body]]);
  });

  it('sends a GET where no method is given', async () => {
    const { server, code } = await api('/v2/x', '-F', 'a=1');
    expect([code, server.seen.map((seen) => `${seen.method} ${seen.url}`)]).toEqual([0, ['GET /v2/x?a=1']]);
  });

  it.each([
    ['GET', '/v2/x?product=A&product=B', [], '/v2/x?product=A&product=B'],
    [
      'GET',
      '/v2/x?a=1',
      ['-F', 'a=2', '-F', 'a=3', '-F', 'b={"c":9007199254740993}'],
      '/v2/x?a=1&a=2&a=3&b=%7B%22c%22%3A9007199254740993%7D',
    ],
    ['DELETE', '/v2/x?a=1&a=&a=1', [], '/v2/x?a=1&a=&a=1'],
    ['POST', '/v2/x?a=1&a=2', ['-F', 'a=3'], '/v2/x?a=1&a=2'],
  ])('%s %s with %j keeps every value', async (method, path, fields, sent) => {
    const { server, code } = await api(method, path, ...fields);
    expect([code, server.seen.map(({ url }) => url)]).toEqual([0, [sent]]);
  });

  it('accepts problem documents, or what the caller asks for with an Accept header', async () => {
    const plain = await api('GET', '/v2/x');
    expect(plain.server.seen[0]?.headers.accept).toContain('application/problem+json');
    const own = await api('GET', '/v2/x', '-H', 'Accept: text/plain');
    expect(own.server.seen[0]?.headers.accept).toBe('text/plain');
  });

  it.each([
    ['a line feed', 'a\nb'],
    ['NUL', 'a\0b'],
    ['ESC', '\u001b[2J'],
    ['DEL', 'a\u007f'],
    ['a character beyond Latin-1', 'x\u{1f6a2}'],
  ])('a header whose value holds %s ends 2 and the error names the header', async (_, value) => {
    const { server, code, err } = await api('GET', '/v2/x', '-H', `X-Note: ${value}!`);
    expect([code, server.seen]).toEqual([2, []]);
    expect(err).toContain('invalid value of the header x-note');
    // oxlint-disable-next-line no-control-regex -- the pattern matches control characters
    expect(err).not.toMatch(/[\u0000\u001b\u007f]/);
  });

  it.each([
    ['GET', '/v2/pods?x=1', '/v2/pods?x=1'],
    ['DELETE', '/v2/pods/a%2Fb', '/v2/pods/a%2Fb'],
  ])('a dry run of %s %s prints the request and sends nothing', async (method, path, shown) => {
    const { server, code, out } = await api(method, path, '--dry-run');
    expect([code, server.seen]).toEqual([0, []]);
    expect(JSON.parse(out)).toMatchObject({ method, url: `${server.url}${shown}` });
  });

  it.each(['https://evil.example/v2/pods', 'HTTP://evil.example', '//evil.example/v2/pods', 'ftp://evil.example/x'])(
    '%s is an address and no path: 2, nothing sent',
    async (path) => {
      const { server, code, err } = await api('GET', path);
      expect([code, server.seen, err.includes('takes a path, not an address')]).toEqual([2, [], true]);
    },
  );

  describe('a request that destroys something', () => {
    const lines: readonly (readonly string[])[] = [
      ['DELETE', '/v2/pods/pod-web'],
      ['PUT', '/v2/account/ssh-keys', '--input', '{"keys":[]}'],
      ['POST', '/echo/purge-queue', '--service', 'queue'],
      ['POST', '/v2/pods/pod-web/action', '-F', 'action=terminate'],
      ['POST', '/v2/pods/pod-web/action', '--input', '-'],
    ];
    const input = '{"action":"terminate"}';

    it.each(lines)('%s %s: 2 without a terminal and --yes, and nothing is sent', async (...argv) => {
      const server = await serve([json({ ok: true })]);
      const { code, err } = await berth(['api', ...argv], { env: pointedAt(server.url), stdin: input });
      expect([code, err, server.seen]).toEqual([2, expect.stringContaining('--yes'), []]);
      const stop = ['POST', '/v2/pods/pod-web/action', '-F', 'action=stop'];
      expect((await berth(['api', ...stop], { env: pointedAt(server.url) })).code).toBe(0);
    });

    it('is asked about at a terminal; Enter alone sends nothing, and y says the status of an empty answer', async () => {
      const server = await serve([text('', 204)]);
      const world = createTestWorld({ tty: true, columns: 200, env: pointedAt(server.url) });
      const argv = ['api', 'DELETE', '/v2/pods/pod-web'];
      const declined = await answerQuestion(world, argv, 'Continue');
      expect([declined.code, declined.err, server.seen]).toEqual([
        2,
        expect.stringContaining('DELETE /v2/pods/pod-web may destroy something'),
        [],
      ]);
      const second = createTestWorld({ tty: true, columns: 200, env: pointedAt(server.url) });
      const sent = await answerQuestion(second, argv, 'Continue', 'y');
      expect([sent.code, sent.err, server.seen.length]).toEqual([0, expect.stringContaining('answered 204.'), 1]);
    });
  });
});
