import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { berth, berthIn } from '../support/worlds/run-berth.ts';
import { createTestWorld } from '../support/worlds/test-world.ts';
import { json, pointedAt, routed, serve } from '../support/servers/scripted-server.ts';

// Row 42 of docs/faults.md: names that every JavaScript object inherits.

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

describe.each(NAMES)('%s', (name) => {
  test('as a command, a verb, a flag, a help topic: 2', async () => {
    for (const argv of [
      [name],
      ['pods', name],
      ['pods', 'list', `--${name}`],
      ['help', name],
      ['-o', name, 'limits'],
      ['completion', name],
    ]) {
      const ran = await berth(argv, LOCAL);
      expect([argv, ran.code, ran.out]).toEqual([argv, 2, '']);
      expect(ran.err).not.toContain('bug');
    }
  });

  test('as a field in every format: 2, because there is no such member', async () => {
    for (const format of ['table', 'json', 'csv']) {
      for (const fields of [name, `${name}.x`, `gpu.${name}`, `id,${name}`]) {
        const ran = await berth(['pods', 'list', '--fields', fields, '-o', format], LOCAL);
        expect([format, fields, ran.code, ran.out]).toEqual([format, fields, 2, '']);
        expect(ran.err).toContain(name);
        expect(ran.err).not.toMatch(/function|native code|\[object/);
      }
    }
  });

  test('as a member that the service has: shown like any other', async () => {
    const pod = `{"id":"p1","exact":1.0,"${name}":{"polluted":"seen"},"env":{"${name}":"seen"}}`;
    const server = await serve([routed({ 'GET /v2/pods/p1': json(pod), 'GET /v2/pods': json(`{"pods":[${pod}]}`) })]);
    for (const format of ['table', 'json', 'yaml', 'csv']) {
      for (const verb of [['get', 'p1'], ['list']]) {
        const fields = ['--fields', `${name}.polluted`];
        const ran = await berth(['pods', ...verb, '-o', format, ...fields], { env: pointedAt(server.url) });
        expect([format, verb, ran.code, ran.out, ran.err]).toEqual([
          format,
          verb,
          0,
          expect.stringContaining('seen'),
          '',
        ]);
      }
      const whole = await berth(['pods', 'get', 'p1', '-o', format], { env: pointedAt(server.url) });
      expect([format, whole.code, whole.out]).toEqual([format, 0, expect.stringContaining('seen')]);
    }
  });

  test('as a path of --set: a member of that name', async () => {
    for (const path of [name, `${name}.polluted`, `env.${name}`, `mounts.${name}.polluted`]) {
      const ran = await dry([...CREATE, '--set', `${path}="set"`]);
      expect([path, ran.code], ran.err).toEqual([path, 0]);
      expect(ran.out).toContain(`"${name}"`);
      expect(ran.out).toContain('"set"');
    }
  });

  test('as a field of a free request: a member of that name', async () => {
    const ran = await dry(['api', 'POST', '/v2/pods', '--field', `${name}=set`, '--dry-run']);
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining(`"${name}": "set"`)]);
  });

  test('as a variable of --env, and as a key of a YAML and of a JSON file: kept', async () => {
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

  test('as a profile: unknown, until it is made', async () => {
    const world = createTestWorld();
    const unknown = await berthIn(world, ['--profile', name, 'auth', 'status']);
    expect([unknown.code, unknown.err]).not.toEqual([1, expect.anything()]);
    const set = await berthIn(world, ['--profile', name, 'config', 'set', 'base-url', 'http://127.0.0.1:1']);
    expect([0, 2]).toContain(set.code);
    if (set.code !== 0) return;
    const got = await berthIn(world, ['--profile', name, 'config', 'get', 'base-url']);
    expect([got.code, got.out]).toEqual([0, 'http://127.0.0.1:1\n']);
    const list = await berthIn(world, ['auth', 'list', '-o', 'id']);
    expect(list.out.split('\n')).toContain(name);
    expect((await berthIn(world, ['auth', 'switch', name])).code).toBe(0);
    expect((await berthIn(world, ['auth', 'logout', '--profile', name])).code).toBe(0);
  });

  test('as a setting: 2', async () => {
    for (const verb of [
      ['get', name],
      ['set', name, 'x'],
      ['unset', name],
    ]) {
      const ran = await berth(['config', ...verb], LOCAL);
      expect([verb, ran.code, ran.err]).toEqual([verb, 2, expect.stringContaining(name)]);
    }
  });

  test('as an id, a name or an endpoint: not found', async () => {
    for (const argv of [
      ['pods', 'get', name],
      ['pods', 'stop', name],
      ['pods', 'delete', name, '--yes'],
      ['volumes', 'get', name],
      ['endpoints', 'workers', name],
      ['templates', 'get', name],
      ['jobs', 'status', 'echo', name],
      ['catalog', 'gpus', name],
      ['billing', 'summary', '--by', 'pod', '--id', name],
    ]) {
      const ran = await berth(argv, LOCAL);
      expect([argv, ran.code, ran.err]).toEqual([argv, 4, expect.stringContaining('error: ')]);
    }
  });

  test('as words that are compared with known ones: 2', async () => {
    for (const argv of [
      ['pods', 'wait', 'p1', '--for', name],
      ['catalog', 'gpus', '--available', '--product', name],
      ['local', 'fault', 'add', name],
      ['billing', 'summary', '--bucket', name],
      ['schema', name],
    ]) {
      const ran = await berth(argv, LOCAL);
      expect([argv, ran.code]).toEqual([argv, 2]);
      expect(ran.err).not.toContain('bug');
    }
  });

  test('as the profile of a file written by hand', async () => {
    const world = createTestWorld();
    const path = join(world.home, '.config/berth/config.json');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `{"current":"${name}","profiles":{}}`, { mode: 0o600 });
    const ran = await berthIn(world, ['config', 'list']);
    expect([0, 2, 14]).toContain(ran.code);
  });
});
