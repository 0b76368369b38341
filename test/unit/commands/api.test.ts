import { describe, expect, it } from 'vitest';
import { berth } from '../../support/cli.ts';
import { json, pointedAt, serve } from '../../faults/support.ts';

async function api(...argv: readonly string[]) {
  const server = await serve([json({ ok: true })]);
  return { server, ...(await berth(['api', ...argv], { env: pointedAt(server.url) })) };
}

describe('a call of any operation', () => {
  it.each([
    [['-f', 'size=50', '-F', 'count=2'], { size: '50', count: 2 }],
    [['--raw-field', 'on=true', '--field', 'off=false'], { on: 'true', off: false }],
    [['-F', 'ports=["80/http"]', '-F', 'name=web'], { ports: ['80/http'], name: 'web' }],
  ])('%j makes the body %j', async (fields, body) => {
    const { server, code } = await api('POST', '/v2/pods', ...fields);
    expect([code, server.seen.map((seen) => JSON.parse(seen.body.toString()) as unknown)]).toEqual([0, [body]]);
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
});
