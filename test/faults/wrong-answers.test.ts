import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/files/temporary-directory.ts';
import { berth } from '../support/worlds/run-berth.ts';
import { testEnds } from '../support/worlds/read-write-commands.ts';
import { fails, works } from '../support/worlds/expect-run.ts';
import { json, pointedAt, routed, serve, text, type Behaviour } from '../support/servers/scripted-server.ts';

// Row 38 of docs/faults.md: a status of success with a body that cannot be the answer of the operation.

/** The message after a write with an unknown outcome. */
const UNKNOWN = 'may have happened';

const FORBIDDEN = { title: 'Forbidden', status: 403, detail: 'no' };
const isTyped = (name: string): boolean => !name.startsWith('api');

describe('200 with application/problem+json', () => {
  const type = { 'content-type': 'application/problem+json; charset=utf-8' };
  testEnds({ trouble: json(FORBIDDEN, 200, type), says: ['problem document'] });
});

describe('a problem document with the content type of plain JSON', () => {
  testEnds({ trouble: json(FORBIDDEN), says: [/reports an error|no list of/], only: isTyped });
});

describe.each(['[]', 'null', '"text"'])('%s where an object belongs', (answer) => {
  const only = (name: string): boolean => isTyped(name) && !(answer === '[]' && name === 'jobs stream');
  testEnds({ trouble: json(answer), says: ['where an object belongs'], only });
});

test('a deletion that answers 200 with an error in it: 8', async () => {
  const argv = ['pods', 'terminate', 'pod1', '--force', '--yes'];
  const says = ['reports an error', UNKNOWN, 'berth pods list'];
  await fails(argv, { exit: 8, says }, [json({ error: 'pod is locked' })]);
});

const LISTS: readonly (readonly [string, string])[] = [
  ['pods list', 'pods'],
  ['endpoints list', 'endpoints'],
  ['endpoints workers ep1', 'workers'],
  ['endpoints releases ep1', 'releases'],
  ['clusters list', 'clusters'],
  ['clusters pods c1', 'pods'],
  ['templates list', 'templates'],
  ['volumes list', 'networkVolumes'],
  ['registries list', 'registries'],
  ['registries delegations list', 'delegations'],
  ['catalog gpus', 'gpus'],
  ['catalog cpus', 'cpus'],
  ['catalog datacenters', 'dataCenters'],
  ['catalog templates', 'templates'],
  ['billing summary', 'records'],
  ['billing summary --by pod', 'records'],
  ['account ssh-keys list', 'keys'],
  ['account ssh-keys remove me@host --yes', 'keys'],
];

describe.each(LISTS)('%s', (line, member) => {
  const answers = ['{}', '{"items":[]}', `{"${member}":null}`, `{"${member}":{}}`, `{"${member}":"x"}`];
  test.each(line === 'pods list' ? answers : answers.slice(0, 1))(
    'a list answer of %s is no empty list: 7',
    async (answer) => {
      const says = [`no list of "${member}"`, 'Nothing changed'];
      await fails(line.split(' '), { exit: 7, says }, [json(answer)]);
    },
  );
});

// Writes: contract/unsaid-writes.test.ts.
describe('an answer about another id', () => {
  const other = json({ id: 'other', name: 'someone', status: 'COMPLETED' });

  test.each([
    'pods get pod1',
    'pods wait pod1 --for RUNNING',
    'pods ssh pod1',
    'volumes get vol1',
    'endpoints get ep1',
    'templates get t1',
    'registries get r1',
    'clusters get c1',
    'catalog cpus cpu1',
    'jobs status ep1 job1',
    'jobs wait ep1 job1',
    'jobs stream ep1 job1',
  ])('%s: 7', async (line) => {
    const says = [/asked about "[a-z]+1", the service answered about "other"/, 'Nothing changed'];
    await fails(line.split(' '), { exit: 7, says }, [other]);
  });

  test.each([
    ['of another case', 'POD1', { id: 'pod1' }],
    ['for a name that the service itself resolves', 'train', { id: 'pod1', name: 'train' }],
  ])('an id %s counts as the requested one', async (_, given, answer) => {
    await works(['pods', 'get', given], [json(answer)]);
  });

  test.each(['org/model-7b', 'Org/Model'])('a job of the model %s is told by the id of the job alone', async (slug) => {
    const script = routed({}, json({ id: 'job1', status: 'COMPLETED', output: 1 }));
    await works(['jobs', 'status', slug, 'job1'], [script]);
    await works(['jobs', 'run', slug, '--input', '{}', '--wait'], [script]);
  });
});

describe('an unusable id in the answer to a create', () => {
  const IDS = ['".."', '"."', '""', 'null', '7', '{}', '["a"]', '"a\\nb"', '"a\\u001b[2J"', '"a\\u0000"', '"\\ud800"'];
  const ANSWERS = ['{}', ...IDS.map((id) => `{"id":${id},"status":"IN_QUEUE"}`)];
  const CREATES: readonly (readonly [string, readonly string[], string])[] = [
    ['jobs run', ['jobs', 'run', 'ep1', '--input', '{}'], 'berth health ep1'],
    ['jobs run --wait', ['jobs', 'run', 'ep1', '--input', '{}', '--wait'], 'berth health ep1'],
    ['jobs run --stream', ['jobs', 'run', 'ep1', '--input', '{}', '--stream'], 'berth health ep1'],
    ['jobs run --sync', ['jobs', 'run', 'ep1', '--input', '{}', '--sync'], 'berth health ep1'],
    ['jobs run of a name', ['jobs', 'run', 'org/model', '--input', '{}'], 'berth health org/model'],
    [
      'volumes create',
      ['volumes', 'create', '--name', 'n', '--size', '10', '--data-center', 'DC', '--quiet'],
      'berth volumes list',
    ],
    ['templates create', ['templates', 'create', '--name', 'n', '--image', 'i'], 'berth templates list'],
    [
      'delegations create',
      ['registries', 'delegations', 'create', '--resource', 'arn:aws:ecr:eu-west-1:123456789012:repository/x'],
      'berth registries delegations list',
    ],
  ];

  describe.each(CREATES)('%s', (name, argv, checkCommand) => {
    test.each(name === 'jobs run' ? ANSWERS : ANSWERS.slice(0, 2))('%s: 8, and nothing is printed', async (answer) => {
      const { servers, block } = await fails(argv, { exit: 8, says: [/ id\b/, UNKNOWN, checkCommand] }, [json(answer)]);
      expect(servers.map(({ seen }) => seen.length)).toEqual([1, 1]);
      expect(block).not.toMatch(/ENDPOINT|JOB\b/);
    });
  });
});

describe('an answer with a status that is not that of the action', () => {
  const pod = (status: string): Behaviour => json({ id: 'pod1', name: 'web', status, cost: 2 });
  const job = (status: string): Behaviour => json({ id: 'j1', status });

  test.each([
    ['start', 'EXITED'],
    ['stop', 'RUNNING'],
    ['restart', 'EXITED'],
  ])('pods %s: a pod that is still %s is not believed: 8', async (action, status) => {
    const says = [`pod pod1 is ${status} after its ${action} was accepted`, 'berth pods get pod1'];
    const { servers } = await fails(['pods', action, 'pod1'], { exit: 8, says }, [pod(status)]);
    expect(servers[0].seen).toHaveLength(1);
  });

  test('pods stop --wait: a pod that has stopped a moment later is stopped', async () => {
    const routes = { 'POST /v2/pods/pod1/action': pod('RUNNING'), 'GET /v2/pods/pod1': pod('EXITED') };
    const { out } = await works(['pods', 'stop', 'pod1', '--wait', '--json'], [routed(routes)]);
    expect(JSON.parse(out)).toMatchObject({ status: 'EXITED' });
  });

  test.each(['IN_QUEUE', 'IN_PROGRESS', 'UNKNOWN'])('jobs cancel: a job that is still %s: 8', async (status) => {
    const says = [`job j1 is ${status} after its cancellation was accepted`, 'berth jobs status ep1 j1'];
    await fails(['jobs', 'cancel', 'ep1', 'j1'], { exit: 8, says }, [job(status)]);
    await fails(
      ['jobs', 'cancel', 'ep1', 'j1', 'j2', '--yes'],
      { exit: 8, says: ['j1'], out: /after its cancellation/ },
      [job(status)],
    );
  });
});

test('plan: data centers of a pod that are no list count as none', async () => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'pod.yaml'), 'kind: pod\nname: a\nimage: i\ndataCenterIds: [DC-1]\n');
  const pod = { id: 'pod1', name: 'a', status: 'EXITED', image: 'i', actions: [], dataCenterIds: 5 };
  const { url } = await serve([routed({ 'GET /v2/pods': json({ pods: [pod] }) })]);
  const { out, err } = await berth(['plan', 'pod.yaml', '--json'], { cwd, env: pointedAt(url) });
  expect(JSON.parse(out), err).toMatchObject([{ name: 'a', action: 'blocked', changes: [{ path: 'dataCenterIds' }] }]);
});

describe('an answer that is not UTF-8', () => {
  const broken: Behaviour = text(Buffer.from('{"id":"pod1","name":"caf\xe9"}', 'latin1'), 200, {
    'content-type': 'application/json',
  });

  testEnds({ trouble: broken, says: ['not valid UTF-8'], tries: 4 });
});

describe('berth api treats an empty 200 like other commands', () => {
  test('GET: 7, POST: 8, DELETE: done', async () => {
    await fails(['api', 'GET', '/v2/pods'], { exit: 7, says: ['empty where JSON belongs'] }, [text('')]);
    await fails(['api', 'POST', '/v2/pods'], { exit: 8, says: ['empty where JSON belongs', UNKNOWN] }, [text('')]);
    await works(['api', 'DELETE', '/v2/pods/pod1', '--yes'], [text('')]);
    await works(['api', 'POST', '/v2/pods'], [text('', 204)]);
  });
});
