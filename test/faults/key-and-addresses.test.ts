import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serve } from '../support/servers/scripted-server.ts';
import { temporaryDirectory } from '../support/files/temporary-directory.ts';
import { berthIn } from '../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../support/worlds/test-world.ts';

// A key is sent only to the addresses of its profile, and a key file is read with limits on size and time.

const PROD = 'production-key-0000PROD';
const STAGING = 'staging-key-00000STAG';
const profiles = {
  current: 'prod',
  profiles: {
    prod: { 'base-url': 'https://prod.example.com', 'api-key': PROD },
    staging: { 'base-url': 'https://staging.example.com', 'api-key': STAGING },
    keyless: { 'base-url': 'https://keyless.example.com' },
    three: {
      'base-url': 'https://prod.example.com',
      'queue-url': 'https://queue.prod.example.com',
      'rest-url': 'https://rest.prod.example.com',
    },
    empty: { timeout: '5s' },
  },
};

function worldWith(env: Record<string, string>): TestWorld {
  const world = createTestWorld({ env });
  mkdirSync(join(world.directory, '.config/berth'), { recursive: true });
  writeFileSync(join(world.directory, '.config/berth/config.json'), JSON.stringify(profiles));
  return world;
}

interface Status {
  readonly key: string;
  readonly from: string;
  readonly 'base-url': string;
  readonly 'queue-url': string;
  readonly 'rest-url'?: string;
}

const statusOf = async (env: Record<string, string>, ...flags: readonly string[]) => {
  const { code, out, err } = await berthIn(worldWith(env), ['auth', 'status', '--json', ...flags]);
  return { code, err, status: (out === '' ? {} : JSON.parse(out)) as Partial<Status> };
};

const STAGING_URL = 'https://staging.example.com';
const AT_PROD = { BERTH_API_KEY: PROD, BERTH_BASE_URL: 'https://prod.example.com' };
const OF_STAGING = { 'base-url': STAGING_URL, 'queue-url': STAGING_URL };

it.each<[what: string, env: Record<string, string>, flags: readonly string[], expected: Partial<Status>]>([
  [
    '--profile uses the key and the addresses of that profile, whatever the environment holds',
    { ...AT_PROD, BERTH_QUEUE_URL: 'https://queue.prod.example.com', BERTH_REST_URL: 'https://rest.prod.example.com' },
    ['--profile', 'staging'],
    { ...OF_STAGING, key: 'ends in STAG', from: 'profile' },
  ],
  [
    '--profile uses the key of that profile even if the environment names a key file',
    { BERTH_API_KEY_FILE: '/nowhere' },
    ['--profile', 'staging'],
    { key: 'ends in STAG', from: 'profile' },
  ],
  [
    'a base address of the environment replaces all addresses of the profile',
    { BERTH_API_KEY: STAGING, BERTH_BASE_URL: STAGING_URL, BERTH_PROFILE: 'three' },
    [],
    OF_STAGING,
  ],
  [
    'a profile without key and addresses uses those of the environment',
    AT_PROD,
    ['--profile', 'empty'],
    { key: 'ends in PROD', from: 'environment', 'base-url': 'https://prod.example.com' },
  ],
  [
    'BERTH_PROFILE of a profile without a key uses that of the environment',
    { BERTH_API_KEY: PROD, BERTH_PROFILE: 'keyless' },
    [],
    { key: 'ends in PROD', 'base-url': 'https://keyless.example.com' },
  ],
  [
    'BERTH_PROFILE and the same key in BERTH_API_KEY go together',
    { BERTH_API_KEY: STAGING, BERTH_PROFILE: 'staging' },
    [],
    { key: 'ends in STAG', from: 'environment' },
  ],
])('%s', async (_, env, flags, expected) => {
  const { code, status } = await statusOf(env, ...flags);
  expect([code, status]).toEqual([0, expect.objectContaining(expected)]);
  expect(status['rest-url']).toBeUndefined();
});

it('BERTH_PROFILE with another key in BERTH_API_KEY is refused', async () => {
  const refused = await statusOf({ BERTH_API_KEY: PROD, BERTH_PROFILE: 'staging' });
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('unset BERTH_PROFILE')]);
});

it('config list shows the sources of key and addresses with --profile', async () => {
  const world = worldWith(AT_PROD);
  const { out } = await berthIn(world, ['config', 'list', '--json', '--profile', 'staging']);
  const rows = JSON.parse(out) as readonly { readonly name: string; readonly value: string; readonly source: string }[];
  const shown = (name: string) => rows.find((row) => row.name === name);
  expect(shown('api-key')).toMatchObject({ value: 'ends in STAG', source: 'profile' });
  expect(shown('base-url')).toMatchObject({ value: 'https://staging.example.com', source: 'profile' });
  const short = await berthIn(createTestWorld({ env: { BERTH_API_KEY: 'k' } }), ['config', 'list']);
  expect(short.out).toMatch(/^api-key\ttoo short to show a part of it\t/m);
});

it.each(['BERTH_API_KEY', 'BERTH_API_KEY_FILE'])(
  '--profile with addresses and no key refuses %s and says what to drop',
  async (variable) => {
    const world = worldWith({ [variable]: PROD });
    const { code, err } = await berthIn(world, ['pods', 'list', '--profile', 'keyless']);
    expect(code).toBe(2);
    expect(err).toContain(variable);
    expect(err).toContain('drop --profile');
    expect(err).not.toContain(PROD);
  },
);

it("a --base-url of another host does not get the profile's key", async () => {
  const world = worldWith({});
  const { code } = await berthIn(world, ['pods', 'list', '--profile', 'staging', '--base-url', 'https://evil.example']);
  expect(code).toBe(3);
});

/** Opens a named pipe for writing as soon as it has a reader. */
async function whenRead(pipe: string): Promise<number> {
  for (;;) {
    try {
      return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}

const hasFifos = spawnSync('mkfifo', ['--version']).status === 0;

it.each([
  ['a directory', (world: TestWorld) => world.directory],
  ['an endless device', () => '/dev/zero'],
  ['what is too long', () => 'long'],
])('a key file that is %s ends 14', async (_, place) => {
  const plain = createTestWorld();
  const world = createTestWorld({ env: { BERTH_API_KEY_FILE: place(plain) } });
  writeFileSync(join(world.directory, 'long'), 'k'.repeat(65 * 1024));
  const { code, err } = await berthIn(world, ['auth', 'status']);
  expect(code).toBe(14);
  expect(err).toContain('BERTH_API_KEY_FILE');
});

it.skipIf(!hasFifos)('a key may come through a pipe, and an interrupt ends the wait for it', async () => {
  const folder = createTestWorld();
  const pipe = join(folder.directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const env = { BERTH_API_KEY_FILE: pipe, BERTH_BASE_URL: 'https://prod.example.com' };

  const world = createTestWorld({ env });
  const running = berthIn(world, ['auth', 'status', '--json']);
  await appendFile(pipe, `${PROD}\n`);
  expect(JSON.parse((await running).out)).toMatchObject({ key: 'ends in PROD', from: 'file' });

  const waiting = createTestWorld({ env });
  const ended = berthIn(waiting, ['auth', 'status']);
  const writer = await whenRead(pipe);
  waiting.signal('SIGTERM');
  expect((await ended).code).toBe(143);
  closeSync(writer);
});

it.skipIf(!hasFifos)('an input that is a pipe without a writer obeys an interrupt', async () => {
  const world = createTestWorld();
  execFileSync('mkfifo', [join(world.directory, 'pipe')]);
  const ended = berthIn(world, ['--local', 'jobs', 'run', 'echo', '--input', '@pipe']);
  const writer = await whenRead(join(world.directory, 'pipe'));
  world.signal('SIGINT');
  expect((await ended).code).toBe(130);
  closeSync(writer);
});

/** Gets a pod of a service that takes only the key `new`; `change` is called with the configuration and the key file at the first request. */
async function getWhileKeyChanges(
  from: 'profile' | 'file' | 'environment',
  change: (write: { profile: (values: object) => void; file: (key: string) => void }) => void,
) {
  const seen: (string | undefined)[] = [];
  const keyFile = join(temporaryDirectory(), 'key');
  const env = { environment: { BERTH_API_KEY: 'old' }, file: { BERTH_API_KEY_FILE: keyFile }, profile: {} };
  const world = createTestWorld({ env: env[from] });
  const { url: address } = await serve([
    ({ arrival: { headers }, response }) => {
      if (seen.push(headers.authorization) === 1) change(write);
      const isNew = headers.authorization === 'Bearer new';
      response.writeHead(isNew ? 200 : 401, { 'content-type': 'application/json' }).end('{"id":"pod1"}');
    },
  ]);
  mkdirSync(join(world.directory, '.config/berth'), { recursive: true });
  const write = {
    profile: (values: object) => {
      const profile = { 'base-url': address, ...values };
      writeFileSync(
        join(world.directory, '.config/berth/config.json'),
        JSON.stringify({ profiles: { default: profile } }),
      );
    },
    file: (key: string) => {
      writeFileSync(keyFile, key);
    },
  };
  write.profile(from === 'profile' ? { 'api-key': 'old' } : {});
  write.file('old');
  const { code } = await berthIn(world, ['pods', 'get', 'pod1']);
  return { code, keys: seen.map((each) => each?.slice('Bearer '.length)) };
}

it('a 401 reads the key again from its profile or file; the request is sent once more if it has changed', async () => {
  const inProfile = await getWhileKeyChanges('profile', ({ profile }) => {
    profile({ 'api-key': 'new' });
  });
  expect(inProfile).toEqual({ code: 0, keys: ['old', 'new'] });
  const inFile = await getWhileKeyChanges('file', ({ file }) => {
    file('new\n');
  });
  expect(inFile).toEqual({ code: 0, keys: ['old', 'new'] });
  const other = await getWhileKeyChanges('profile', ({ profile }) => {
    profile({ 'api-key': 'other' });
  });
  expect(other).toEqual({ code: 3, keys: ['old', 'other'] });
});

it('a 401 of a key that stays, that is of the environment, or whose profile has other addresses now: 3, sent once', async () => {
  const same = await getWhileKeyChanges('profile', () => undefined);
  expect(same).toEqual({ code: 3, keys: ['old'] });
  const ofEnvironment = await getWhileKeyChanges('environment', ({ profile, file }) => {
    profile({ 'api-key': 'new' });
    file('new');
  });
  expect(ofEnvironment).toEqual({ code: 3, keys: ['old'] });
  const elsewhere = await getWhileKeyChanges('profile', ({ profile }) => {
    profile({ 'api-key': 'new', 'base-url': 'https://other.test' });
  });
  expect(elsewhere).toEqual({ code: 3, keys: ['old'] });
  const gone = await getWhileKeyChanges('profile', ({ profile }) => {
    profile({});
  });
  expect(gone).toEqual({ code: 3, keys: ['old'] });
});
