import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createTable } from '../../src/local/table.ts';
import { localFixture } from '../support/local/service-fixture.ts';
import { json, pointedAt, routed, serve } from '../support/servers/scripted-server.ts';
import { berth, berthIn } from '../support/worlds/run-berth.ts';
import { createTestWorld } from '../support/worlds/test-world.ts';

// Row 42 of docs/faults.md: names that every JavaScript object inherits, as names of anything.

/** The name that sets a prototype, one that every plain object inherits, and one that is called to print it. */
const NAMES = ['__proto__', 'constructor', 'toString'];
const LOCAL = { env: { BERTH_LOCAL: '1' } };

afterEach(() => {
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
});

const CREATE = ['pods', 'create', '--name', 'a', '--image', 'i', '--cpu', 'cpu-general', '--vcpu', '2', '--dry-run'];

/** The body that a dry run shows, as text, because JSON.parse would hide `__proto__`. */
const dry = async (argv: readonly string[], stdin?: string) =>
  await berth([...argv, '--json'], { ...LOCAL, ...(stdin === undefined ? {} : { stdin }) });

/** Command lines with NAME in the place of a word that berth knows: 2. */
const UNKNOWN_WORDS = [
  'NAME',
  'pods NAME',
  'pods list --NAME',
  'help NAME',
  '-o NAME limits',
  'completion NAME',
  'config get NAME',
  'config set NAME x',
  'config unset NAME',
  'pods wait p1 --for NAME',
  'catalog gpus --available --product NAME',
  'local fault add NAME',
  'billing summary --bucket NAME',
  'schema NAME',
  ...['table', 'json', 'csv'].map((format) => `pods list --fields NAME -o ${format}`),
  ...['NAME.x', 'gpu.NAME', 'id,NAME'].map((fields) => `pods list --fields ${fields}`),
];

/** Command lines with NAME in the place of an id or a name: 4. */
const NOT_FOUND = [
  'jobs run NAME --input {}',
  'jobs status NAME job',
  'jobs status echo NAME',
  'jobs cancel echo NAME --yes',
  'jobs stream echo NAME',
  'queue purge NAME --yes',
  'health NAME',
  'pods get NAME',
  'pods stop NAME',
  'pods logs NAME',
  'pods terminate NAME --yes',
  'endpoints get NAME',
  'endpoints workers NAME',
  'volumes get NAME',
  'volumes delete NAME --yes',
  'templates get NAME',
  'registries get NAME',
  'clusters get NAME',
  'catalog gpus NAME',
  'billing summary --by pod --id NAME',
];

const LINES: readonly (readonly [string, number])[] = [
  ...UNKNOWN_WORDS.map((line) => [line, 2] as const),
  ...NOT_FOUND.map((line) => [line, 4] as const),
];

describe.each(NAMES)('%s on the command line', (name) => {
  // Each line with one of the names.
  test.each(LINES.filter((_, at) => at % NAMES.length === NAMES.indexOf(name)))(
    'berth %s ends %i',
    async (line, exit) => {
      const { code, out, err } = await berth(line.replace('NAME', name).split(' '), LOCAL);
      expect([code, out, err]).toEqual([exit, '', expect.stringMatching(/error(: |")/)]);
      expect(err).not.toMatch(/a bug in berth|native code|\[object/);
    },
  );

  test('a member that the service has is shown like any other', async () => {
    const pod = `{"id":"p1","exact":1.0,"${name}":{"polluted":"seen"},"env":{"${name}":"seen"}}`;
    const server = await serve([routed({ 'GET /v2/pods/p1': json(pod), 'GET /v2/pods': json(`{"pods":[${pod}]}`) })]);
    for (const format of ['table', 'json', 'yaml', 'csv'])
      for (const argv of [
        ['get', 'p1', '--fields', `${name}.polluted`],
        ['list', '--fields', `${name}.polluted`],
        ['get', 'p1'],
      ]) {
        const ran = await berth(['pods', ...argv, '-o', format], { env: pointedAt(server.url) });
        expect([format, argv, ran.code, ran.out]).toEqual([format, argv, 0, expect.stringContaining('seen')]);
      }
  });

  test('a status, a count and a member of a job are shown', async () => {
    const answer = { id: 'j', status: name, [name]: name };
    const server = await serve([json(answer), json({ jobs: { [name]: 1 }, workers: { [name]: 2 } })]);
    for (const line of ['jobs status e j', 'health e']) {
      const ran = await berth(line.split(' '), { env: pointedAt(server.url) });
      // A table writes a member as words.
      const shown = ran.out.replaceAll('to string', name);
      expect([line, ran.code, shown]).toEqual([line, 0, expect.stringContaining(name)]);
    }
  });

  test('a path of --set and a field of a free request are members of that name', async () => {
    for (const path of [name, `${name}.polluted`, `env.${name}`, `mounts.${name}.polluted`]) {
      const ran = await dry([...CREATE, '--set', `${path}="set"`]);
      expect([path, ran.code], ran.err).toEqual([path, 0]);
      expect(ran.out).toContain(`"${name}"`);
      expect(ran.out).toContain('"set"');
    }
    const free = await dry(['api', 'POST', '/v2/pods', '--field', `${name}=set`, '--dry-run']);
    expect([free.code, free.out]).toEqual([0, expect.stringContaining(`"${name}": "set"`)]);
  });

  test('a variable of --env, and a key of a YAML and of a JSON file, is kept', async () => {
    const ran = await dry([...CREATE, '--env', `${name}=set`]);
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining(`"${name}": "set"`)]);
    const pod = 'name: a\nimage: i\ncpu: {id: cpu-general, vcpuCount: 2}\n';
    for (const env of [`{${name}: set}`, `{"${name}":"set"}`, `{<<: {${name}: set}}`]) {
      const read = await dry(['pods', 'create', '--file', '-', '--dry-run'], `${pod}env: ${env}\n`);
      expect([env, read.code, read.out]).toEqual([env, 0, expect.stringContaining(`"${name}": "set"`)]);
    }
    const unknown = await dry(['pods', 'create', '--file', '-', '--dry-run'], `${pod}${name}: {polluted: 1}\n`);
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining(name)]);
  });

  test('a profile is unknown, until it is made; one of a file written by hand is no bug', async () => {
    const world = createTestWorld();
    const run = async (line: string) => await berthIn(world, line.split(' '));
    expect((await run(`--profile ${name} auth status`)).code).not.toBe(1);
    const set = await run(`--profile ${name} config set base-url http://127.0.0.1:1`);
    expect([0, 2]).toContain(set.code);
    if (set.code === 0) {
      const got = await run(`--profile ${name} config get base-url`);
      expect([got.code, got.out]).toEqual([0, 'http://127.0.0.1:1\n']);
      expect((await run('auth list -o id')).out.split('\n')).toContain(name);
      expect((await run(`auth switch ${name}`)).code).toBe(0);
      expect((await run(`auth logout --profile ${name}`)).code).toBe(0);
    }
    const byHand = createTestWorld();
    const path = join(byHand.home, '.config/berth/config.json');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `{"current":"${name}","profiles":{}}`, { mode: 0o600 });
    expect([0, 2, 14]).toContain((await berthIn(byHand, ['config', 'list'])).code);
  });
});

describe.each(NAMES)('%s in a request to the local service', (name) => {
  test('as an id of any path', async () => {
    const { send } = localFixture({ queueLimits: true });
    const withIds = createTable({ queueLimits: true, streamShape: 'array' }).filter(({ path }) => path.includes('{'));
    for (const { method, path } of withIds)
      for (const target of targets(path, name)) {
        const body = method === 'GET' || method === 'DELETE' ? undefined : { input: {} };
        const { status } = await send(method, target, body);
        // 422 if the body is validated first.
        expect([method, target, [404, 422].includes(status)]).toEqual([method, target, true]);
      }
  });

  const pod = `{"name":"p","image":"i","disk":10,"gpu":{"id":"GPU-24G","count":1},"env":{"${name}":"mine"}}`;
  const volume = `{"name":"v","size":10,"dataCenter":"EU-WEST-1","${name}":{"x":1}}`;
  test.each<readonly [string, unknown, number, string]>([
    ['POST /v2/network-volumes', volume, 422, ''],
    ['POST /v2/echo/run', `{"input":{"${name}":1},"${name}":2,"policy":{"${name}":3}}`, 200, ''],
    ['POST /v2/pods', pod, 201, `"${name}":"mine"`],
    ['POST /v2/templates', { name, image: 'i' }, 201, `"name":"${name}"`],
    [`GET /v2/catalog/gpus?include=${name}`, undefined, 422, ''],
    [`GET /v2/catalog/datacenters?regions=${name}`, undefined, 422, ''],
    [`GET /v2/billing?bucketSize=${name}`, undefined, 422, ''],
    [`GET /v2/billing/pods?podId=${name}`, undefined, 200, ''],
    [`DELETE /local/fault/${name}`, undefined, 404, ''],
  ])('%s', async (request, body, status, says) => {
    const [method = '', path = ''] = request.split(' ');
    const answer = await localFixture().send(method, path, body);
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(says)]);
  });

  test('as a variable that is changed, and as a key', async () => {
    const { send } = localFixture();
    const made = await send('POST', '/v2/pods', pod);
    const patched = await send('PATCH', `/v2/pods/${String(made.body['id'])}`, `{"env":{"${name}":"other"}}`);
    expect([patched.status, patched.text]).toEqual([200, expect.stringContaining(`"${name}":"other"`)]);
    expect((await send('GET', '/v2/pods', undefined, name)).status).toBe(401);
  });
});

/** A path with the word in place of all ids, and in place of each id while the others exist. */
const targets = (path: string, word: string): readonly string[] => {
  const known: Readonly<Record<string, string>> = { endpointId: 'echo' };
  const all = path.replace(/\{\w+\}/g, word);
  const last = path.replace(/\{(\w+)\}(?=.*\{)/g, (_, name: string) => known[name] ?? word).replace(/\{\w+\}/, word);
  return [...new Set([all, last])];
};
