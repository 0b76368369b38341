import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../../support/files/temporary-directory.ts';
import { berth, type Ran } from '../../support/worlds/run-berth.ts';
import {
  type Behaviour,
  listen,
  json,
  pointedAt,
  problem,
  reset,
  routed,
  serve,
} from '../../support/servers/scripted-server.ts';

const LIST = json({ delegations: [] });
const OTHERS = {
  'GET /v2/berth-doctor/health': problem(404, 'endpoint not found'),
  'GET /v1/networkvolumes': problem(405, 'no'),
};
const WELL = routed({ ...OTHERS, 'GET /v2/registries/delegations': LIST });

/** Runs berth doctor against a management API that gives this answer. */
async function doctor(answer: Behaviour, prefix = '', ...flags: readonly string[]): Promise<Ran> {
  const server = await serve([routed(OTHERS, answer)]);
  return await berth(['doctor', ...flags], { env: pointedAt(`${server.url}${prefix}`), tty: { stdout: true } });
}

describe('berth doctor', () => {
  test('ends 0 if everything answers; 404 of the queue and 405 of the volume API count as answers', async () => {
    const ran = await doctor(LIST);
    expect([ran.code, ran.err]).toEqual([0, expect.not.stringMatching(/-url:/)]);
  });

  test.each<[string, Behaviour, string, number, RegExp]>([
    ['404', problem(404, 'not found'), '', 4, /base-url: .*\(404\)\n {2}-> Check the address/],
    [
      '404 at an address with a version too many',
      problem(404, 'not found'),
      '/v2',
      4,
      /base-url: .*\n {2}-> The address ends in a version, and berth adds one itself: leave it out\.\n/,
    ],
    ['something else', json({ hello: 'world' }), '', 4, /what answers is not the service/],
    ['401', problem(401, 'bad key'), '', 3, /base-url: .*401.*\n {2}-> The key was not accepted/],
  ])(
    'does not take %s for the management API, and prints its advice in full',
    async (_, answer, prefix, code, says) => {
      const ran = await doctor(answer, prefix);
      expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(says)]);
    },
  );

  test('with --json prints its findings in the document only', async () => {
    const ran = await doctor(problem(404, 'no'), '', '--json');
    expect(ran.err).toBe('');
    expect(JSON.parse(ran.out)).toContainEqual(
      expect.objectContaining({ check: 'base-url', result: 'ERROR', hint: expect.stringMatching(/address/) as string }),
    );
  });

  test('finds nothing wrong with the local service', async () => {
    expect((await berth(['doctor'], { env: { BERTH_LOCAL: '1' } })).code).toBe(0);
  });

  test('reports a configuration that cannot be used as a row, and checks what does not need it', async () => {
    const server = await serve([WELL]);
    const folder = temporaryDirectory();
    writeFileSync(join(folder, 'config.json'), '{"current": ');
    const ran = await berth(['doctor', '--json'], { env: { ...pointedAt(server.url), BERTH_CONFIG_DIR: folder } });
    expect(ran.code).toBe(14);
    expect(rowsOf(ran)).toEqual({
      settings: 'ERROR',
      proxy: 'OK',
      key: 'OK',
      'base-url': 'OK',
      'queue-url': 'OK',
      'rest-url': 'OK',
    });
    const alone = await berth(['doctor'], { env: { BERTH_CONFIG_DIR: folder } });
    expect([alone.code, alone.err.match(/it must be JSON/g)]).toEqual([14, ['it must be JSON']]);
  });

  test('reports an address that is none as a row, and checks the others', async () => {
    const server = await serve([WELL]);
    const env = { ...pointedAt(server.url), BERTH_QUEUE_URL: 'htp:/nowhere' };
    const ran = await berth(['doctor', '--json'], { env });
    expect(ran.code).toBe(2);
    expect(rowsOf(ran)).toMatchObject({
      settings: 'OK',
      key: 'OK',
      'base-url': 'OK',
      'queue-url': 'ERROR',
      'rest-url': 'OK',
    });
  });

  test.each(['http://someone:secret@', 'http://'])(
    'names the proxy that refuses, without its password (%s)',
    async (start) => {
      const proxy = createServer().on('connect', (_request, socket) => {
        socket.end('HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n');
      });
      const host = `127.0.0.1:${String(await listen(proxy))}`;
      onTestFinished(() => void proxy.close());
      const env = { BERTH_BASE_URL: 'https://service.test', BERTH_API_KEY: 'key', https_proxy: `${start}${host}` };
      const ran = await berth(['doctor'], { env });
      expect([ran.code, ran.out]).toEqual([7, expect.stringMatching(new RegExp(`proxy.*${host}[^]*answered 407`))]);
      expect(ran.out + ran.err).not.toContain('secret');
    },
  );

  test('sends each request once, and never advises to run doctor', async () => {
    const down = await serve([problem(503, 'later')]);
    const ran = await berth(['doctor'], { env: pointedAt(down.url) });
    expect([ran.code, down.seen.map(({ url }) => url).toSorted()]).toEqual([
      7,
      ['/v1/networkvolumes', '/v2/berth-doctor/health', '/v2/registries/delegations'],
    ]);
    const broken = await serve([reset]);
    const lost = await berth(['doctor'], { env: pointedAt(broken.url) });
    expect([lost.code, broken.seen.length]).toEqual([7, 3]);
    const none = await berth(['doctor'], { env: { ...pointedAt('https://nothing.invalid') } });
    expect(none.code).toBe(7);
    for (const { out, err } of [ran, lost, none]) expect(out + err).not.toContain('berth doctor');
  });
});

/** The result of each check, by its name. */
const rowsOf = ({ out }: Ran): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (JSON.parse(out) as readonly { readonly check: string; readonly result: string }[]).map(({ check, result }) => [
      check,
      result,
    ]),
  );
