import { describe, expect, test } from 'vitest';
import { berth } from '../support/worlds/run-berth.ts';
import { fails, works } from '../support/worlds/expect-run.ts';
import { json, pointedAt, problem, routed, serve } from '../support/servers/scripted-server.ts';

// Row 15 of docs/faults.md: text that tries to control a terminal.

/** Text that clears the screen, writes the clipboard, sets the title, reorders and hides text, and breaks lines. */
const EVIL =
  'a\u001b[2J\u001b]52;c;ZXZpbA==\u0007\u001b]0;title\u001b\\\u009b31m\u0085\r\u0008b\u202egnp.exe\u2066\u200b\u2028c\u007f\u{e0041}\0z';

const HARMFUL =
  // oxlint-disable-next-line no-control-regex -- the pattern matches control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

/** Removes the escape sequences that berth itself writes to a terminal: colours, and the cursor of the spinner. */
const withoutOwn = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- the pattern matches control characters
  text.replace(/\u001b\[(?:[0-9;]*m|\?\d+[hl]|\d*[AGK])/g, '');

const POD = {
  id: EVIL,
  name: EVIL,
  status: EVIL,
  actions: [EVIL],
  image: EVIL,
  args: EVIL,
  ports: [EVIL],
  env: { [EVIL]: EVIL },
  registry: EVIL,
  mounts: { network: [{ volumeId: EVIL, path: EVIL }], [EVIL]: EVIL },
  gpu: { id: EVIL, count: 1 },
  cloud: EVIL,
  dataCenterId: EVIL,
  template: EVIL,
  globalNetworking: { enabled: true, ip: EVIL, internalDns: EVIL },
  runtime: { uptime: 1, gpus: [], ports: [{ private: 1, public: 2, type: EVIL, ip: EVIL }] },
  createdAt: EVIL,
  startedAt: EVIL,
  [EVIL]: { [EVIL]: [EVIL] },
};
const JOB = { id: 'job1', status: 'COMPLETED', output: { [EVIL]: EVIL }, [EVIL]: EVIL };

const service = routed({
  // The id stays as requested, because an answer about another id would be refused.
  'GET /v2/pods/pod1': json({ ...POD, id: 'pod1' }),
  'GET /v2/pods': json({ pods: [POD, POD] }),
  'GET /v2/ep1/status/job1': json(JOB),
  'GET /v2/ep1/health': json({ jobs: { [EVIL]: EVIL }, workers: { idle: EVIL }, [EVIL]: EVIL }),
  'GET /v2/catalog/gpus': json({ gpus: [{ id: EVIL, name: EVIL, availability: EVIL }] }),
  'GET /v2/x': json({ [EVIL]: EVIL }),
});

const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
  ['pods get', ['pods', 'get', 'pod1']],
  ['pods list', ['pods', 'list']],
  ['jobs status', ['jobs', 'status', 'ep1', 'job1']],
  ['jobs wait', ['jobs', 'wait', 'ep1', 'job1']],
  ['health', ['health', 'ep1']],
  ['catalog gpus', ['catalog', 'gpus']],
  ['api', ['api', 'GET', '/v2/x']],
];

describe.each(COMMANDS)('%s', (_, argv) => {
  // What a format does is the same for every command.
  const only = (formats: readonly string[]): readonly string[] => (argv[0] === 'pods' ? formats : formats.slice(0, 1));

  test.each(only(['table', 'wide', 'json', 'jsonl', 'yaml', 'csv', 'id']))(
    'on a terminal, as %s: visible escapes and no others',
    async (format) => {
      const { out, err } = await works([...argv, '-o', format], [service], { tty: true });
      expect(withoutOwn(out + err)).not.toMatch(HARMFUL);
    },
  );

  test.each(only(['table', 'wide', 'id']))('piped, as %s: visible escapes, and lines stay lines', async (format) => {
    const { out } = await works([...argv, '-o', format], [service]);
    expect(out).not.toMatch(HARMFUL);
  });

  test.each(only(['json', 'jsonl']))('piped, as %s: the document, exact', async (format) => {
    const { out, server } = await works([...argv, '-o', format], [service]);
    expect(server.seen).toHaveLength(1);
    for (const line of format === 'json' ? [out] : out.trimEnd().split('\n'))
      expect(JSON.stringify(JSON.parse(line))).toContain(JSON.stringify(EVIL).slice(1, -1));
  });
});

describe.each(COMMANDS.slice(0, 2))('%s', (_, argv) => {
  test('on a terminal, as JSON: control characters are escaped, and the document is the same', async () => {
    const onScreen = await works([...argv, '--json', '--no-color'], [service], { tty: true });
    const piped = await works([...argv, '--json'], [service]);
    expect(JSON.parse(onScreen.out)).toEqual(JSON.parse(piped.out));
  });
});

describe('a stream', () => {
  const chunks = (output: unknown) => [
    json([{ output }]),
    json([]),
    json({ id: 'job1', status: 'COMPLETED' }),
    json([]),
  ];

  test.each([
    ['text', EVIL],
    ['text in an array', { text: [EVIL, EVIL] }],
    ['an object', { [EVIL]: EVIL }],
  ])('of %s: visible escapes on a terminal and in a pipe', async (_, output) => {
    for (const tty of [true, false]) {
      const { out } = await works(['jobs', 'stream', 'ep1', 'job1'], chunks(output), { tty });
      expect(withoutOwn(out)).not.toMatch(HARMFUL);
      expect(out).toMatch(/\\(x|u00)1b\[2J/);
    }
  });

  test('of objects prints each as JSON with escaped control characters and the same value', async () => {
    const { out } = await works(['jobs', 'stream', 'ep1', 'job1'], chunks({ [EVIL]: EVIL }), { tty: true });
    expect(JSON.parse(out)).toEqual({ [EVIL]: EVIL });
  });

  test('of text keeps line feeds and tabs', async () => {
    const { out } = await works(['jobs', 'stream', 'ep1', 'job1'], chunks('one\n\ttwo\n'));
    expect(out).toBe('one\n\ttwo\n');
  });

  test('as JSON lines is exact', async () => {
    const { out } = await works(['jobs', 'stream', 'ep1', 'job1', '-o', 'jsonl'], chunks(EVIL));
    expect(JSON.parse(out)).toEqual({ output: EVIL });
  });
});

describe('an error', () => {
  const detail = `no luck: ${EVIL}`;
  const refusals = [
    ['a problem document', json({ title: EVIL, status: 422, detail, errors: [EVIL] }, 422)],
    ['an error member', json({ error: detail }, 422)],
    ['plain text', problem(422, detail)],
  ] as const;

  test.each(refusals)('in %s: visible escapes for a person, exact JSON for a program', async (_, refusal) => {
    const { block, runs, error } = await fails(['pods', 'get', 'pod1'], { exit: 5, says: ['no luck'] }, [refusal]);
    expect(block).not.toMatch(HARMFUL);
    expect(runs[1].err.trimEnd().split('\n')).toHaveLength(1);
    expect(error.detail).toBe(detail);
  });

  test.each(refusals)('in %s, on a terminal: harmless both ways', async (_, refusal) => {
    for (const flags of [[], ['--json']]) {
      const server = await serve([refusal]);
      const ran = await berth([...flags, 'pods', 'get', 'pod1'], { tty: true, env: pointedAt(server.url) });
      expect(ran.code).toBe(5);
      expect(withoutOwn(ran.err)).not.toMatch(HARMFUL);
    }
  });

  test('in a redirect, and in an id on the command line', async () => {
    const location = encodeURI('http://127.0.0.1:1/');
    const redirect = json({}, 307, { location: `${location}\u009b31m` });
    const { block } = await fails(['pods', 'get', 'pod1'], { exit: 7, says: ['307'] }, [redirect]);
    expect(block).not.toMatch(HARMFUL);
    const bad = await fails(['pods', 'get', 'a\u001b[2J'], { exit: 2, says: ['is not an id or name'] });
    expect(bad.block).not.toMatch(HARMFUL);
  });

  test('of a job', async () => {
    const server = await serve([json({ id: 'job1', status: 'FAILED', error: EVIL })]);
    for (const argv of [
      ['jobs', 'wait', 'ep1', 'job1'],
      ['jobs', 'stream', 'ep1', 'job1'],
    ]) {
      const ran = await berth(argv, { tty: true, env: pointedAt(server.url) });
      expect(ran.code).toBe(10);
      expect(withoutOwn(ran.out + ran.err)).not.toMatch(HARMFUL);
    }
  });
});
