import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { berth, type Ran } from '../support/worlds/run-berth.ts';
import { temporaryDirectory } from '../support/files/temporary-directory.ts';
import { expectNoKeyNoStack, fails, works } from '../support/worlds/expect-run.ts';
import { json, KEY, pointedAt, serve } from '../support/servers/scripted-server.ts';

// Rows 19, 20 and 27 of docs/faults.md: the profiles file and the key.

function folder(): string {
  return temporaryDirectory();
}

/** Creates a configuration directory with a profiles file of these bytes. */
function configOf(
  content: string | Uint8Array,
  mode = 0o600,
): { readonly env: Record<string, string>; readonly path: string } {
  const directory = folder();
  const path = join(directory, 'config.json');
  writeFileSync(path, content, { mode });
  return { env: { BERTH_CONFIG_DIR: directory }, path };
}

/** No key and no address in the environment, so that the file must be read. */
const nothing = { BERTH_API_KEY: '', BERTH_BASE_URL: '', BERTH_QUEUE_URL: '', BERTH_REST_URL: '' };
const modeOf = (path: string): number => statSync(path).mode & 0o777;
const profile = (values: Record<string, string>): string =>
  JSON.stringify({ current: 'work', profiles: { work: values } });

/** Profiles files that cannot be used. Each holds a key. */
const BROKEN: readonly (readonly [string, string | Uint8Array])[] = [
  ['cut off', `{"profiles":{"work":{"api-key":"${KEY}"`],
  ['empty', ''],
  ['with a byte order mark', `\ufeff${profile({ 'api-key': KEY })}`],
  ['of binary', Buffer.from([0xff, 0xfe, 0x00, 0x01])],
  ['an array', `["${KEY}"]`],
  ['null', 'null'],
  ['with profiles of a wrong type', `{"profiles":["${KEY}"]}`],
  ['with a profile of a wrong type', `{"profiles":{"work":"${KEY}"}}`],
  ['with a value of a wrong type', `{"profiles":{"work":{"api-key":"${KEY}","timeout":7}}}`],
  ['with a current of a wrong type', `{"current":["${KEY}"],"profiles":{}}`],
];

const NEEDING: readonly (readonly string[])[] = [
  ['pods', 'get', 'pod1'],
  ['jobs', 'run', 'ep', '--input', '{}'],
  ['auth', 'status'],
  ['auth', 'list'],
  ['auth', 'switch', 'work'],
  ['auth', 'logout'],
  ['config', 'set', 'timeout', '5s'],
  ['config', 'unset', 'timeout'],
  ['config', 'list'],
];

describe.each(BROKEN)('a config file %s', (kind, content) => {
  test.each(kind === 'cut off' ? NEEDING : NEEDING.slice(0, 1))(
    '%s %s: 14 naming the file, which stays as it is',
    async (...argv) => {
      const { env, path } = configOf(content);
      const before = readFileSync(path);
      const { error } = await fails(argv, { exit: 14, says: [path, 'it must be JSON', 'BERTH_API_KEY'] }, [], {
        env: { ...nothing, ...env },
      });
      expect(error.code).toBe('local-file');
      expect(readFileSync(path)).toEqual(before);
    },
  );
});

describe('a config file that is cut off', () => {
  const content = `{"profiles":{"work":{"api-key":"${KEY}"`;

  test('stops a write, because it may say that the profile is read-only, unless BERTH_ACCESS is set', async () => {
    const { env } = configOf(content);
    const { servers } = await fails(['pods', 'stop', 'pod1'], { exit: 14, says: [] }, [], { env });
    expect(servers.map(({ seen }) => seen.length)).toEqual([0, 0]);
    await works(['pods', 'stop', 'pod1'], [json({ id: 'pod1', status: 'EXITED' })], {
      env: { ...env, BERTH_ACCESS: 'full' },
    });
  });

  test('is not needed if key and addresses are in the environment', async () => {
    const { env, path } = configOf(content);
    const before = readFileSync(path);
    const { out, server } = await works(['pods', 'get', 'pod1', '-o', 'id'], [json({ id: 'pod1' })], { env });
    expect(out).toBe('pod1\n');
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(readFileSync(path)).toEqual(before);
  });

  test('is not needed for the local service and for help', async () => {
    const { env } = configOf(content);
    for (const argv of [
      ['--local', 'pods', 'list'],
      ['pods', '--help'],
      ['help', 'exit-codes'],
    ]) {
      const ran = await berth(argv, { env });
      expectNoKeyNoStack(ran);
      expect(ran.code, ran.err).toBe(0);
    }
  });
});

describe('a config file that cannot be read at all', () => {
  // A folder, a pipe, a socket: something-in-the-way.test.ts.
  test.each([
    ['a link to itself', 'config.json', /symbolic links/],
    ['a device', '/dev/zero', /not a regular file/],
  ])('%s: 14', async (_, target, says) => {
    const directory = folder();
    const path = join(directory, 'config.json');
    symlinkSync(target, path);
    const env = { ...nothing, BERTH_CONFIG_DIR: directory };
    await fails(['pods', 'list'], { exit: 14, says: [path, says] }, [], { env });
    await fails(['config', 'set', 'timeout', '5s'], { exit: 14, says: [path, says] }, [], { env });
  });

  test.skipIf(process.getuid?.() === 0)('one without permission: 14', async () => {
    const { env, path } = configOf('{}');
    chmodSync(path, 0o000);
    await fails(['pods', 'list'], { exit: 14, says: [path, 'permission denied'] }, [], { env: { ...nothing, ...env } });
  });

  test('a part of its path is a file: 14', async () => {
    const { path } = configOf('{}');
    for (const argv of [
      ['pods', 'list'],
      ['config', 'set', 'timeout', '5s'],
    ])
      await fails(argv, { exit: 14, says: [path] }, [], { env: { ...nothing, BERTH_CONFIG_DIR: path } });
  });
});

describe('writing the config file', () => {
  test('8 writers at once lose nothing, and the file has mode 0600 at the end', async () => {
    const { env, path } = configOf(profile({ 'api-key': KEY }), 0o644);
    const names = Array.from({ length: 8 }, (_, at) => `p${String(at)}`);
    const runs = await Promise.all(
      names.map((name) =>
        berth(['--profile', name, 'config', 'set', 'timeout', '7s'], { env: { ...nothing, ...env } }),
      ),
    );
    for (const ran of runs) {
      expectNoKeyNoStack(ran);
      expect(ran.code, ran.err).toBe(0);
    }
    const kept = JSON.parse(readFileSync(path, 'utf8')) as { profiles: Record<string, Record<string, string>> };
    expect(kept.profiles['work']).toEqual({ 'api-key': KEY });
    for (const name of names) expect(kept.profiles[name]).toEqual({ timeout: '7s' });
    expect(modeOf(path)).toBe(0o600);
  });

  test.each([0o644, 0o640])('one that is there with mode %o ends 0600', async (mode) => {
    const { env, path } = configOf('{"profiles":{},"of another version":1}', mode);
    chmodSync(path, mode);
    const ran = await berth(['config', 'set', 'retries', '5'], { env: { ...nothing, ...env } });
    expect(ran.code, ran.err).toBe(0);
    expect(modeOf(path)).toBe(0o600);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ 'of another version': 1 });
  });

  test('a login stores the key there with mode 0600, and nowhere else', async () => {
    const directory = join(folder(), 'made', 'on the way');
    const env = { ...nothing, BERTH_CONFIG_DIR: directory };
    const ran = await berth(['auth', 'login', '--with-key', '--no-check', '--base-url', 'https://api.example.com'], {
      env,
      stdin: `${KEY}\n`,
    });
    expectNoKeyNoStack(ran);
    expect(ran.code, ran.err).toBe(0);
    const path = join(directory, 'config.json');
    expect(modeOf(path)).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toContain(KEY);
    for (const argv of [
      ['auth', 'status'],
      ['auth', 'list'],
      ['config', 'list'],
      ['--verbose', 'auth', 'status', '--json'],
    ]) {
      const shown = await berth(argv, { env });
      expectNoKeyNoStack(shown);
      expect(shown.out).toContain(KEY.slice(-4));
    }
  });
});

describe('a key', () => {
  /** Runs a command with this key from each source of a key. */
  async function withKey(key: string, url: string): Promise<Record<string, Ran>> {
    const file = join(folder(), 'key');
    writeFileSync(file, key);
    const kept = configOf(profile({ 'api-key': key, 'base-url': url }));
    const argv = ['pods', 'get', 'pod1', '-o', 'id'];
    return {
      BERTH_API_KEY: await berth(argv, { env: { ...pointedAt(url), BERTH_API_KEY: key } }),
      BERTH_API_KEY_FILE: await berth(argv, {
        env: { ...pointedAt(url), BERTH_API_KEY: '', BERTH_API_KEY_FILE: file },
      }),
      profile: await berth(argv, { env: { ...nothing, ...kept.env } }),
    };
  }

  test.each(['\n', '\r\n', ' \t\n\n'])('with %j at its end is used without it', async (end) => {
    const server = await serve([json({ id: 'pod1' })]);
    for (const [place, ran] of Object.entries(await withKey(KEY + end, server.url)))
      expect({ code: ran.code, out: ran.out }, `${place}: ${ran.err}`).toEqual({ code: 0, out: 'pod1\n' });
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${KEY}`,
      `Bearer ${KEY}`,
      `Bearer ${KEY}`,
    ]);
  });

  test.each([
    ['an inner newline', `${KEY}\n${KEY}`],
    ['a header after a newline', `${KEY}\r\nX-Evil: 1`],
    ['a space inside', `${KEY} more`],
    ['a leading space', ` ${KEY}`],
    ['a control character', `${KEY}\u0001x`],
    ['a character outside ASCII', `${KEY}é`],
  ])('with %s: 3, nothing is sent, and the key is never printed', async (_, key) => {
    const server = await serve([json({ id: 'pod1' })]);
    for (const [place, ran] of Object.entries(await withKey(key, server.url))) {
      expectNoKeyNoStack(ran);
      expect({ code: ran.code, out: ran.out }, place).toEqual({ code: 3, out: '' });
      expect(ran.err).toMatch(/the key in .*\n {2}-> /);
      expect(ran.err).not.toContain(KEY.slice(-8));
    }
    expect(server.connections()).toBe(0);
  });

  test.each(['\n', ' ', '\t\r\n'])('that is nothing but %j: 3', async (key) => {
    const server = await serve([json({ id: 'pod1' })]);
    for (const ran of Object.values(await withKey(key, server.url))) {
      expectNoKeyNoStack(ran);
      expect(ran.code, ran.err).toBe(3);
      expect(ran.err).toContain('is empty');
    }
    expect(server.connections()).toBe(0);
  });

  test('that is missing: 3, and the message names `auth login` and `--local`', async () => {
    const { servers } = await fails(['pods', 'get', 'pod1'], { exit: 3, says: ['berth auth login', '--local'] }, [], {
      env: { BERTH_API_KEY: '', BERTH_CONFIG_DIR: folder() },
    });
    expect(servers[0].connections()).toBe(0);
    await fails(['pods', 'get', 'pod1'], { exit: 3, says: ['berth auth login', '--local'] }, [], {
      env: { ...nothing, BERTH_CONFIG_DIR: folder() },
    });
  });

  test.each(['', '\n', 'two\nlines', ' \n'])('given to auth login as %j: 3, and nothing is kept', async (stdin) => {
    const env = { ...nothing, BERTH_CONFIG_DIR: folder() };
    const { runs } = await fails(
      ['auth', 'login', '--with-key', '--base-url', 'https://api.example.com'],
      { exit: 3, says: [/the key in the input/] },
      [],
      { env, stdin },
    );
    expect(runs[0].err).not.toContain('lines\n  ');
    const list = await berth(['auth', 'list', '--json'], { env });
    expect(JSON.parse(list.out)).toEqual([]);
  });

  test('that the service refuses: 3, and the key is redacted in the printed answer', async () => {
    const echo = json({ title: 'Unauthorized', status: 401, detail: `bad token ${KEY}` }, 401);
    await fails(['pods', 'get', 'pod1'], { exit: 3, says: ['401', 'bad token', 'BERTH_API_KEY'] }, [echo]);
    await fails(['pods', 'get', 'pod1'], { exit: 3, says: ['403', 'may not do this'] }, [json({ error: KEY }, 403)]);
    const ran = await berth(['--verbose', 'pods', 'get', 'pod1'], { env: pointedAt((await serve([echo])).url) });
    expectNoKeyNoStack(ran);
  });

  test('a key file that does not exist: 14 with its name', async () => {
    await fails(['pods', 'get', 'pod1'], { exit: 14, says: ['no-such-key', 'BERTH_API_KEY_FILE'] }, [], {
      env: { BERTH_API_KEY: '', BERTH_API_KEY_FILE: 'no-such-key' },
    });
  });
});
