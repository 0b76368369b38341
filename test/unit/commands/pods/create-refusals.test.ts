import { describe, expect, test } from 'vitest';
import { MAX_CREATE_BYTES } from '../../../../src/commands/pods/refusals.ts';
import { refusalClass } from '../../../../src/create/refusals.ts';
import { json, pointedAt, problem, routed, serve, text } from '../../../support/servers/scripted-server.ts';
import { berth, berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../support/worlds/test-world.ts';

/** Every refusal: its fault, and the class, code, exit code and words that berth has for it. */
const REFUSALS: readonly (readonly [string, readonly string[], string, string, number, RegExp])[] = [
  ...[
    'There are no longer any instances available with the requested specifications.',
    'There are no instances currently available',
    'This machine does not have the resources to deploy your pod',
    'No resources to deploy',
    'There are Not Enough Free GPUs On The Host machine to start this pod.',
  ].map(
    (text) =>
      [text, ['refuse', '--detail', text], 'no-capacity', 'no-capacity', 5, /no room for this pod now/] as const,
  ),
  ['low-balance', ['low-balance'], 'payment', 'payment-required', 5, /balance of the account is too low/],
  [
    'Insufficient funds to start',
    ['refuse', '--detail', 'Insufficient funds to start'],
    'payment',
    'payment-required',
    5,
    /balance of the account is too low/,
  ],
  ['forbidden', ['forbidden'], 'not-allowed', 'forbidden', 3, /account or key may not do this/],
  ['blocked', ['blocked'], 'blocked-by-network', 'blocked', 7, /a network in front of the service/],
  ...[
    'the volume was not found: no resources to deploy',
    'data center X does not exist, no longer any instances available',
    'a template id or pod configuration parameters are needed',
    'no resources to deploy the image',
    'manifest unknown: instances currently available',
    'the registry does not have the resources to deploy',
    'ports: at most 10',
  ].map((text) => [text, ['refuse', '--detail', text], 'invalid', 'refused', 5, /the service answered 400/] as const),
  ['a 503', ['server-error', '--match', 'POST /v2/pods'], 'unknown', 'outcome-unknown', 8, /the service answered 503/],
];

interface Problem {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint: string;
    readonly status: number;
    readonly title?: string;
    readonly detail?: string;
  };
}

/** The error, which is the last line after sentences about the price. */
const errorOf = (err: string): Problem['error'] =>
  (JSON.parse(err.trimEnd().split('\n').at(-1) ?? '') as Problem).error;

async function faultedWorld(fault: readonly string[]): Promise<TestWorld> {
  const world = createTestWorld();
  const { code, err } = await berthIn(world, ['--local', 'local', 'fault', 'add', ...fault]);
  expect(code, err).toBe(0);
  return world;
}

const CREATE = ['pods', 'create', '--name', 'a', '--gpu', 'GPU-24G', '--image', 'i'];
const CLUSTER = [
  'clusters',
  'create',
  '--name',
  'c',
  '--type',
  'RAY',
  '--gpu',
  'GPU-80G',
  '--gpu-count',
  '8',
  '--pods',
  '2',
];

describe.each(REFUSALS)('%s', (text, fault, kind, exitName, exit, says) => {
  const expectSaid = ({ code, err }: Pick<Ran, 'code' | 'err'>): Problem['error'] => {
    const error = errorOf(err);
    expect([code, error.code]).toEqual([exit, exitName]);
    expect(error.message).toMatch(says);
    if (fault.includes('--detail')) expect(error.message).toContain(text);
    expect(refusalClass({ title: undefined, detail: undefined, ...error })).toBe(kind);
    return error;
  };

  test('of a create', async () => {
    const world = await faultedWorld(fault);
    expectSaid(await berthIn(world, ['--local', ...CREATE, '--json']));
  });

  test('of a start, and of each of several starts by selector', async () => {
    const world = await faultedWorld(fault);
    expectSaid(await berthIn(world, ['--local', 'pods', 'start', 'pod-stopped', '--json']));
    const { code, out, err } = await berthIn(world, [
      '--local',
      'pods',
      'start',
      '--status',
      'EXITED',
      '--yes',
      '--json',
    ]);
    const rows = JSON.parse(out) as readonly {
      readonly id: string;
      readonly ok: boolean;
      readonly error: Problem['error'];
    }[];
    expect(rows.map(({ id, ok, error }) => [id, ok, error.code])).toEqual([
      ['pod-stopped-cpu', false, exitName],
      ['pod-stopped', false, exitName],
    ]);
    expect(rows[1]?.error.message).toMatch(says);
    expect([code, errorOf(err).code]).toEqual([exit, exitName]);
  });
});

test('a 403 that is no answer of the service is said in the same words by a read and by a create', async () => {
  const said = async (argv: readonly string[], body: string, type: string) => {
    const server = await serve([text(body, 403, { 'content-type': type })]);
    const { code, err } = await berth([...argv, '--json'], { env: pointedAt(server.url) });
    const { code: name, message, hint } = errorOf(err);
    return { code, name, message, hint };
  };
  for (const [body, type] of [
    ['<html><title>no entry</title></html>', 'text/html'],
    ['no entry', 'text/plain'],
  ] as const) {
    const read = await said(['pods', 'list'], body, type);
    expect(read).toMatchObject({
      code: 7,
      name: 'blocked',
      message: 'a network in front of the service refused the request (403): no entry',
    });
    expect(await said(CREATE, body, type)).toEqual(read);
  }
  for (const argv of [['pods', 'list'], CREATE])
    expect(await said(argv, '', 'text/plain')).toMatchObject({ code: 3, name: 'forbidden' });
});

test('of several starts by selector, each has an outcome of its own', async () => {
  const world = await faultedWorld(['low-balance', '--match', 'POST /v2/pods/pod-stopped/action']);
  const full = ['refuse', '--match', 'POST /v2/pods/pod-stopped-cpu/action'];
  await berthIn(world, ['--local', 'local', 'fault', 'add', ...full]);
  const { code, out } = await berthIn(world, ['--local', 'pods', 'start', '--status', 'EXITED', '--yes']);
  expect(code).toBe(5);
  expect(out).toMatch(/^pod-stopped\tfailed\tthe balance of the account is too low/m);
  expect(out).toMatch(/^pod-stopped-cpu\tfailed\tthere is no room for this pod now/m);
});

test('the hint of a create without room names what is available, and that of a start another pod', async () => {
  const world = await faultedWorld(['refuse']);
  const said = async (...argv: readonly string[]): Promise<string> =>
    errorOf((await berthIn(world, ['--local', ...argv, '--json'])).err).hint;
  expect(await said(...CREATE)).toContain('berth --local catalog gpus --available --product POD');
  expect(await said('pods', 'start', 'pod-stopped')).toContain('create another pod with the same network volume');
  expect(await said('pods', 'restart', 'pod-train')).toContain('create another pod with the same network volume');
});

test('a cluster is refused in the same words', async () => {
  const world = await faultedWorld(['refuse', '--match', 'POST /v2/clusters']);
  const { code, err } = await berthIn(world, ['--local', ...CLUSTER]);
  expect([code, err]).toEqual([5, expect.stringContaining('there is no room for this pod now')]);
});

test('a rate limit and a lost answer are unknown, which is final', () => {
  for (const status of [408, 429, 500, 502, undefined])
    expect(refusalClass({ code: 'x', status, title: 'x', detail: 'no resources to deploy' })).toBe('unknown');
});

describe('a create that is too large', () => {
  const env = (bytes: number): readonly string[] => ['--env', `A=${'x'.repeat(bytes)}`];
  /** A service whose template has a variable of so many bytes. */
  const withTemplate = (bytes: number) =>
    serve([
      routed({
        'GET /v2/templates/t1': json({ id: 't1', name: 't', image: 'i', env: { B: 'y'.repeat(bytes) } }),
        'POST /v2/pods': problem(413, 'larger than 102400 bytes'),
      }),
    ]);

  test('is not sent: the body counts to the byte', async () => {
    const world = createTestWorld();
    const dry = await berthIn(world, ['--local', ...CREATE, ...env(1), '--dry-run', '--jq', '.body', '-o', 'jsonl']);
    const rest = MAX_CREATE_BYTES - dry.out.trim().length + 1;
    const fits = await berthIn(world, ['--local', ...CREATE, ...env(rest)]);
    expect(fits.code, fits.err).toBe(0);
    const { code, out, err } = await berthIn(world, ['--local', ...CREATE, ...env(rest + 1)]);
    expect([code, out]).toEqual([2, '']);
    expect(err.replace(/\s+/g, ' ')).toContain(
      'the request has 102401 bytes, and a create takes at most 102400: nothing was sent',
    );
  });

  test('is not sent together with its template', async () => {
    const server = await withTemplate(60_000);
    const { code, err } = await berth([...CREATE, '--template', 't1', ...env(60_000)], { env: pointedAt(server.url) });
    expect([code, err]).toEqual([2, expect.stringContaining('the request and its template have 120')]);
    expect(server.seen.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test.each([
    ['small, with a large template', 100, 110_000],
    ['large, with a template that fits', 60_000, 100],
  ])('or is refused by the service: %s', async (_, body, template) => {
    const server = await withTemplate(template);
    const { code, err } = await berth([...CREATE, '--template', 't1', ...env(body), '--json'], {
      env: pointedAt(server.url),
    });
    const error = errorOf(err);
    expect([code, error.code, error.message]).toEqual([
      5,
      'too-large',
      expect.stringContaining('the request is too large: larger than'),
    ]);
    expect(refusalClass({ title: undefined, detail: undefined, ...error })).toBe('too-large');
  });
});
