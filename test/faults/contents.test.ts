import { describe, expect, test } from 'vitest';
import { fails, works } from '../support/worlds/expect-run.ts';
import { json } from '../support/servers/scripted-server.ts';

// Rows 4 and 29 of docs/faults.md: unusual contents of answers.

const POD = `{"id":"pod1","name":"first","status":"RUNNING","actions":["stop"],"image":"i","args":"","disk":9007199254740993,"ports":[],"env":{},"registry":null,"mounts":{},"cloud":"SECURE","dataCenterId":null,"template":null,"cost":1e400,"locked":false,"globalNetworking":{"enabled":false},"runtime":{"uptime":-0,"gpus":[{"util":1.0,"memoryUtil":12345678901234567890}]},"createdAt":"2026-01-01T00:00:00Z","startedAt":null,"status":"EXITED"}`;

describe('JSON is the document that the service sent', () => {
  test('numbers that no double holds, and duplicate members', async () => {
    const { out } = await works(['pods', 'get', 'pod1', '--json'], [json(POD)]);
    expect(out.replace(/\s/g, '')).toContain('"disk":9007199254740993');
    expect(out.replace(/\s/g, '')).toContain('"cost":1e400');
    expect(out.replace(/\s/g, '')).toContain('12345678901234567890');
    // Every JSON parser uses the last of duplicate members.
    expect((JSON.parse(out) as { status: string }).status).toBe('EXITED');
  });

  test.each(['json', 'jsonl', 'yaml', 'csv', 'table', 'wide'])(
    '-o %s rounds nothing, and says neither Infinity nor null for a number',
    async (format) => {
      const fields = ['--fields', 'id,disk,cost'];
      const { out } = await works(['pods', 'get', 'pod1', '-o', format, ...fields], [json(POD)]);
      expect(out).toContain('9007199254740993');
      expect(out).toMatch(/1e\+?400/);
      expect(out).not.toMatch(/Infinity|NaN|null/);
    },
  );

  test('the output of a job, through --wait', async () => {
    const { out } = await works(
      ['jobs', 'run', 'ep1', '--input', '{"n":9007199254740993}', '--wait', '--json'],
      [
        json('{"id":"job1","status":"IN_QUEUE"}'),
        json('{"id":"job1","status":"COMPLETED","output":{"n":9007199254740993,"x":1e400,"y":0.1e1}}'),
      ],
    );
    expect(out.replace(/\s/g, '')).toContain('"output":{"n":9007199254740993,"x":1e400,"y":0.1e1}');
  });

  test('the chunks of a stream', async () => {
    const { out } = await works(
      ['jobs', 'stream', 'ep1', 'job1', '-o', 'jsonl'],
      [
        json('[{"output":9007199254740993,"metrics":{"a":1e400}}]'),
        json('[]'),
        json('{"id":"job1","status":"COMPLETED"}'),
        json('[]'),
      ],
    );
    expect(out).toBe('{"output":9007199254740993,"metrics":{"a":1e400}}\n');
  });

  test.each(['json', 'jsonl', 'yaml', 'csv', 'table'])('nesting of 400 levels, as %s', async (format) => {
    const deep = `${'['.repeat(400)}1.0${']'.repeat(400)}`;
    const { out } = await works(
      ['jobs', 'status', 'ep1', 'job1', '-o', format],
      [json(`{"id":"job1","status":"COMPLETED","output":${deep}}`)],
    );
    expect(out).toContain('job1');
    if (format.startsWith('json')) expect(out.replace(/\s/g, '')).toContain(deep);
  });

  test('nesting of 100,000 levels is unreadable', async () => {
    const deep = json('['.repeat(100_000) + ']'.repeat(100_000));
    await fails(['jobs', 'status', 'ep1', 'job1', '--retries', '0'], { exit: 7, says: ['not JSON'] }, [deep]);
  });
});

describe('unknown values and members are shown unchanged', () => {
  test('a status, an action, a cloud and a member of a pod', async () => {
    const strange = {
      id: 'pod1',
      name: 'first',
      status: 'HIBERNATING',
      actions: ['wake', 'stop'],
      cloud: 'LUNAR',
      cost: 0.5,
      flavour: { of: 'the week' },
      runtime: { tpus: [1], uptime: 60 },
      mounts: { orbital: { path: '/sky' } },
    };
    const shown = await works(['pods', 'get', 'pod1'], [json(strange)]);
    for (const word of ['HIBERNATING', 'wake', 'LUNAR', 'flavour', 'the week', 'tpus', 'orbital'])
      expect(shown.out).toContain(word);
    const document = await works(['pods', 'get', 'pod1', '--json'], [json(strange)]);
    expect(JSON.parse(document.out)).toEqual(strange);
    const listed = await works(['pods', 'list'], [json({ pods: [strange], next: 'page' })]);
    expect(listed.out).toContain('HIBERNATING');
  });

  test('an unknown status of a job, which does not count as an end', async () => {
    const { out } = await works(
      ['jobs', 'status', 'ep1', 'job1', '--exit-status'],
      [json({ id: 'job1', status: 'DREAMING' })],
    );
    expect(out).toContain('DREAMING');
    await fails(
      ['jobs', 'wait', 'ep1', 'job1', '--wait-timeout', '5s'],
      { exit: 9, says: ['job job1 not COMPLETED after 5s: DREAMING', 'berth jobs wait ep1 job1'] },
      [json({ id: 'job1', status: 'DREAMING' })],
    );
  });
});

/** Objects without members, or with members of other types than the contract says. */
const ODD = ['{}', '{"id":null,"status":null,"name":[],"runtime":"none","mounts":3}'];
const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
  ['health', ['health', 'ep1']],
  ['delegations revoke', ['registries', 'delegations', 'revoke', 'd1', '--yes']],
  ['api', ['api', 'GET', '/v2/x']],
];

describe.each(ODD)('an answer of %s is never fatal', (answer) => {
  test.each(COMMANDS)('%s', async (_, argv) => {
    for (const format of ['wide', 'json', 'yaml', 'csv', 'id']) {
      const { out } = await works([...argv, '-o', format], [json(answer)]);
      expect(out).not.toMatch(/undefined|\[object|NaN/);
    }
    for (const tty of [true, false]) {
      const { out } = await works(argv, [json(answer)], { tty });
      expect(out).not.toMatch(/undefined|\[object|NaN/);
    }
  });
});

/** Reads of one thing: an answer that does not say what it is about is none. */
const READS_OF_ONE: readonly (readonly [string, readonly string[]])[] = [
  ['pods get', ['pods', 'get', 'pod1']],
  ['pods get of a name', ['pods', 'get', 'web']],
  ['pods wait', ['pods', 'wait', 'pod1', '--for', 'RUNNING']],
  ['endpoints get', ['endpoints', 'get', 'ep1']],
  ['volumes get', ['volumes', 'get', 'vol1']],
  ['templates get', ['templates', 'get', 't1']],
  ['catalog cpus ID', ['catalog', 'cpus', 'cpu1']],
  ['jobs status', ['jobs', 'status', 'ep1', 'job1']],
  ['jobs wait', ['jobs', 'wait', 'ep1', 'job1']],
];

describe.each([...ODD, '{"id":"","status":""}', '{"status":"RUNNING"}'])(
  'an answer of %s is about nothing',
  (answer) => {
    test.each(answer === '{}' ? READS_OF_ONE : READS_OF_ONE.slice(0, 1))(
      '%s: 7, and nothing is printed',
      async (_, argv) => {
        await fails(
          argv,
          { exit: 7, says: [/the answer has no "?(id|status)|the answer has "" for an id/, 'Nothing changed'] },
          [json(answer)],
        );
      },
    );
  },
);

test.each(['{"pods":[null,7,"x",[],{}]}'])('pods list of %s', async (answer) => {
  for (const format of ['table', 'json', 'jsonl', 'yaml', 'csv', 'id']) {
    await works(['pods', 'list', '-o', format], [json(answer)]);
    await works(['pods', 'list', '-o', format], [json(answer)], { tty: true });
  }
});
