import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { said } from '../../../support/worlds/answer-question.ts';
import { berth, berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../support/worlds/test-world.ts';
import { json, pointedAt, problem, serve, type Behaviour } from '../../../support/servers/scripted-server.ts';
import { DIRECT, podWith, withPrograms, written } from './reach/pod-world.ts';

/** A pod as the service has it. */
const pod = (status: string, port: number | undefined, startedAt = 'first') => {
  const runtime = port === undefined ? null : { ports: [{ private: 22, public: port, type: 'tcp', ip: DIRECT.host }] };
  const direct = port === undefined ? null : { ...DIRECT, port };
  return json(podWith({ direct, proxy: null }, { status, startedAt, runtime }));
};

const RUNNING = pod('RUNNING', 10022);
const MOVED = pod('RUNNING', 10999, 'second');

/** What ssh says when its ports are open. */
const OPEN = 'echo "debug1: Entering interactive session." >&2';
const STAYS = `${OPEN}; exec sleep 1000`;
const ENDS = `${OPEN}; sleep 0.05; echo "Connection to 203.0.113.7 closed by remote host." >&2; exit 255`;
const says = (line: string): string => `echo "${line}" >&2; exit 255`;

interface Trial {
  readonly world: TestWorld;
  readonly run: Promise<Ran>;
  /** The arguments of each ssh that was started. */
  readonly given: () => readonly (readonly string[])[];
  /** Resolves when ssh was started so many times. */
  readonly started: (times: number) => Promise<void>;
  /** Ctrl-C. */
  readonly stop: () => Promise<Ran>;
}

/** Runs `pods forward` while the service gives these answers, the last one for ever, and each ssh does one of these things. */
async function forwarding(
  answers: readonly Behaviour[],
  programs: readonly string[],
  argv: readonly string[] = ['0:8888'],
): Promise<Trial> {
  const server = await serve(answers);
  const world = createTestWorld({ env: pointedAt(server.url) });
  const log = `${world.directory}/given`;
  const cases = programs.map((program, at) => `${at === programs.length - 1 ? '*' : String(at)}) ${program};;`);
  const ssh = `run=$(grep -c '^run$' "${log}" 2> /dev/null || true)
printf '%s\\n' run "$@" >> "${log}"
case "\${run:-0}" in
${cases.join('\n')}
esac`;
  const run = berthIn(withPrograms(world, { ssh }), ['pods', 'forward', 'p1', ...argv]);
  let isOver = false;
  void run.finally(() => (isOver = true)).catch(() => undefined);
  const given = (): readonly (readonly string[])[] =>
    (written(world, 'given') ?? '')
      .split(/^run\n/m)
      .slice(1)
      .map((each) => each.trimEnd().split('\n'));
  const until = async (reached: () => boolean): Promise<void> => {
    while (!reached() && !isOver) await new Promise(setImmediate);
  };
  return {
    world,
    run,
    given,
    started: (times) => until(() => given().length >= times),
    stop: async () => {
      world.signal('SIGINT');
      return await run;
    },
  };
}

const portsOf = (given: readonly string[] | undefined): string | undefined => given?.[given.indexOf('-p') + 1];

describe('pods forward', () => {
  it('joins ports by ssh -N on the loopback address, and prints the free ports that it chose', async () => {
    const { world, given, stop } = await forwarding([RUNNING], [STAYS], ['0:8888', ':6006', '-o', 'jsonl']);
    await said(world, 'Connected to lab');
    const { code, out } = await stop();
    expect(code).toBe(130);
    const rows = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { local: number; remote: number });
    expect(rows).toMatchObject([
      { id: 'p1', address: '127.0.0.1', remote: 8888 },
      { id: 'p1', address: '127.0.0.1', remote: 6006 },
    ]);
    const [first, second] = rows.map(({ local }) => local);
    const [args = []] = given();
    expect(args.slice(args.indexOf('-N'))).toEqual([
      '-N',
      ...['-L', `127.0.0.1:${String(first)}:localhost:8888`],
      ...['-L', `127.0.0.1:${String(second)}:localhost:6006`],
      ...['-p', '10022', 'root@203.0.113.7'],
    ]);
    expect(args).toContain('ExitOnForwardFailure=yes');
    expect(args).toContain('StrictHostKeyChecking=accept-new');
  });

  it('finds the new address after a connection has ended, and waits while the pod starts', async () => {
    const states = [
      RUNNING,
      pod('PROVISIONING', undefined),
      pod('STARTING', undefined),
      pod('RUNNING', undefined),
      MOVED,
    ];
    const { started, given, stop, world } = await forwarding(states, [ENDS, STAYS]);
    await started(2);
    await said(world, 'Connected to lab again');
    const { out, err } = await stop();
    expect(given().map(portsOf)).toEqual(['10022', '10999']);
    const [before, after] = given().map((each) => each[each.indexOf('-L') + 1]);
    expect(after).toBe(before);
    expect(out.trim().split('\n')).toHaveLength(2);
    expect(err.split('\n')).toEqual([
      'Connected to lab. Ctrl-C ends it.',
      'No connection to lab: Connection to 203.0.113.7 closed by remote host. Connecting again.',
      'Connected to lab again.',
      '',
    ]);
  });

  it('tries again with growing waits, and from the first one after a connection', async () => {
    const refused = says('ssh: connect to host 203.0.113.7 port 10022: Connection refused');
    const { started, world, stop } = await forwarding([RUNNING], [refused, refused, refused, ENDS, refused, STAYS]);
    await started(6);
    const { err } = await stop();
    expect(world.clock.slept).toEqual([500, 1000, 2000, 500, 500]);
    expect(err.match(/No connection to lab: .*Connection refused. Connecting again/g)).toHaveLength(2);
  });

  test.each([
    ['EXITED', pod('EXITED', undefined), 'berth pods start p1'],
    ['ERROR', pod('ERROR', undefined), 'berth pods explain p1'],
    ['TERMINATED', pod('TERMINATED', undefined), 'berth pods list'],
    ['gone', problem(404, 'pod p1 not found'), ''],
  ])('ends with 10 when the pod is %s', async (status, state, says_) => {
    const { code, err } = await (await forwarding([RUNNING, state], [ENDS])).run;
    expect(code).toBe(10);
    expect(err).toContain(`pod lab is ${status}: no longer connected`);
    expect(err).toContain(says_);
  });

  test.each<[string, number, string, number?]>([
    ['root@203.0.113.7: Permission denied (publickey).', 3, 'berth pods ssh p1 --explain'],
    ['Host key for berth.p1.first has changed and you have requested strict checking.', 3, 'berth pods get p1'],
    ['channel_setup_fwd_listener_tcpip: cannot listen to port: 8888', 14, '0:REMOTE'],
    ['ssh: connect to host 203.0.113.7 port 10022: timed out', 7, 'could not connect to pod lab: ssh: connect', 5],
  ])('ends where ssh says %s, with %i, after its tries', async (line, exit, said, tries = 1) => {
    const { run, given } = await forwarding([RUNNING], [says(line)]);
    const { code, err } = await run;
    expect([code, given().length, err]).toEqual([exit, tries, expect.stringContaining(said)]);
  });

  it('names a port of this machine that is in use, with 14, before it asks for anything', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const { run, given } = await forwarding([RUNNING], [STAYS], [`${String(port)}:80`]);
    const { code, err } = await run;
    expect([code, given().length]).toEqual([14, 0]);
    expect(err).toContain(`port ${String(port)} of this machine is in use`);
  });

  test.each([[['abc']], [['1:2:3']], [['8888:0']], [['8888:']], [[]]])('refuses %j', async (argv) => {
    expect((await berth(['--local', 'pods', 'forward', 'pod-train', ...argv])).code).toBe(2);
  });
});
