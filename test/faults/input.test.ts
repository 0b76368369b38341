import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answerQuestion, said } from '../support/worlds/answer-question.ts';
import { berth, berthIn } from '../support/worlds/run-berth.ts';
import { createTestWorld, KEYS } from '../support/worlds/test-world.ts';
import { expectErrorObject, expectNoKeyNoStack, fails, works } from '../support/worlds/expect-run.ts';
import { json, pointedAt, problem, routed, serve, text } from '../support/servers/scripted-server.ts';

// Rows 17, 18 and 28 of docs/faults.md: input of the user.

const MB = 1_000_000;
const submitted = json({ id: 'job1', status: 'IN_QUEUE' });
const finished = json({ id: 'sync-1', status: 'COMPLETED', output: 1 });

describe('a payload', () => {
  const wrapper = '{"input":""}'.length;

  /** Runs a command with an input file that makes a request body of exactly `bytes` bytes. */
  async function sendBody(bytes: number, flags: readonly string[], answer = submitted) {
    const server = await serve([answer]);
    const world = createTestWorld({ env: pointedAt(server.url) });
    await writeFile(join(world.directory, 'input.json'), `"${'x'.repeat(bytes - wrapper)}"`);
    const ran = await berthIn(world, ['--json', 'jobs', 'run', 'ep1', '--input', '@input.json', ...flags]);
    expectNoKeyNoStack(ran);
    return { server, ran };
  }

  test.each([
    ['run', 10 * MB, []],
    ['runsync', 20 * MB, ['--sync']],
  ] as const)('of %s may be exactly %i bytes', async (operation, most, flags) => {
    const { ran, server } = await sendBody(most, flags, operation === 'run' ? submitted : finished);
    expect(ran.code, ran.err).toBe(0);
    expect(server.seen.map(({ body }) => body.byteLength)).toEqual([most]);
  });

  test.each([
    ['run', 10 * MB, [], '10 MB', '10000001'],
    ['runsync', 20 * MB, ['--sync'], '20 MB', '20000001'],
  ] as const)('of %s one byte over %i is refused here: 2', async (operation, most, flags, limit, size) => {
    const { ran, server } = await sendBody(most + 1, flags);
    const error = expectErrorObject(ran, { exit: 2, says: [operation, limit, size, String(most)] });
    expect(error.code).toBe('usage');
    expect(server.connections()).toBe(0);
  });

  test.each([
    ['with a word', problem(413, 'payload too large')],
    ['without one', text('', 413)],
    ['in plain text', text('too big', 413)],
  ])('that the service refuses as too large, %s: 5', async (_, refusal) => {
    const { error } = await fails(['jobs', 'run', 'ep1', '--input', '{}'], { exit: 5, says: ['413', 'send less'] }, [
      refusal,
    ]);
    expect(error).toMatchObject({ code: 'refused', status: 413 });
  });
});

test('jobs run asks for the input that is missing on a terminal; Enter takes {}', async () => {
  const server = await serve([submitted]);
  const world = createTestWorld({ tty: true, env: pointedAt(server.url) });
  expect((await answerQuestion(world, ['jobs', 'run', 'ep1'], 'Input (JSON)')).code).toBe(0);
  expect(server.seen[0]?.body.toString()).toBe('{"input":{}}');
});

describe('input that is sent byte for byte', () => {
  const sent = async (argv: readonly string[], stdin?: string | Uint8Array): Promise<string> => {
    const { server } = await works(argv, [finished], stdin === undefined ? {} : { stdin });
    return server.seen[0]?.body.toString() ?? '';
  };
  const BOM = '\ufeff';

  test.each([
    ['integers beyond 2^53', '{"n":9007199254740993,"m":-9223372036854775808}'],
    ['numbers beyond a double', '{"x":1e400,"y":1E-400,"z":1.10}'],
    ['white space and order', '{ "b" : 1,\n\t"a" : 2 }'],
    ['members named twice', '{"a":1,"a":2}'],
    ['escapes as written', '{"s":"\\u00e9\\/é🚢"}'],
    ['a bare value', '[1,"two",null]'],
  ])('%s', async (_, input) => {
    expect(await sent(['jobs', 'run', 'ep1', '--input', input])).toBe(`{"input":${input}}`);
    expect(await sent(['jobs', 'run', 'ep1', '--input', '-'], input)).toBe(`{"input":${input}}`);
    expect(await sent(['jobs', 'run', 'ep1', '--input', '-', '--sync'], input)).toBe(`{"input":${input}}`);
    expect(await sent(['api', 'POST', '/v2/x', '--input', input])).toBe(input);
  });

  test.each([
    ['jobs', 'run', 'ep1'],
    ['api', 'POST', '/v2/x'],
  ])('the name of a file without its @ is refused with the @: %s %s', async (...argv) => {
    const world = createTestWorld();
    await writeFile(join(world.directory, 'in.json'), '{"a":1}');
    const { code, err } = await berthIn(world, ['--local', ...argv, '--input', 'in.json']);
    expect([code, err]).toEqual([2, expect.stringContaining('a file is @FILE')]);
  });

  test('a byte order mark and surrounding white space are removed', async () => {
    expect(await sent(['jobs', 'run', 'ep1', '--input', '-'], `${BOM}{"n":1}\r\n`)).toBe('{"input":{"n":1}}');
    expect(await sent(['api', 'POST', '/v2/x', '--input', '-'], `${BOM}{"n":1}\n`)).toBe('{"n":1}');
  });

  test('berth api sends other bytes with their own content-type', async () => {
    const { server } = await works(
      ['api', 'POST', '/v2/x', '--input', '-', '-H', 'content-type: text/csv'],
      [json({})],
      { stdin: 'a,b\n' },
    );
    expect(server.seen[0]?.body.toString()).toBe('a,b\n');
    expect(server.seen[0]?.headers['content-type']).toBe('text/csv');
  });
});

describe('input that is not JSON: 2 with line and column, and nothing is sent', () => {
  test.each([
    ['NaN', '{"n":\n NaN}', 'line 2, column 2'],
    ['Infinity', '[Infinity]', 'line 1, column 2'],
    ['a trailing comma', '{"a":1,\n"b":2,\n}', 'line 3, column 1'],
    ['cut off', '{"a":', 'line 1, column 6'],
    ['two documents', '{}\n{}', 'line 2, column 1'],
    ['a comment', '{} // no', 'line 1, column 4'],
    ['single quotes', "{'a':1}", 'line 1, column 2'],
    ['a raw control character', '{"a":"\u0001"}', 'line 1, column 7'],
    ['a leading zero', '[01]', 'line 1, column'],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x0a, 0x22, 0xff, 0x22, 0x7d]), 'not UTF-8'],
    ['UTF-8 cut off', Buffer.from([0x22, 0xc3]), 'not UTF-8'],
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), 'not UTF-8'],
    ['empty', '', 'empty'],
    ['white space alone', ' \n ', 'empty'],
    ['a byte order mark alone', '\ufeff', 'empty'],
  ])('%s', async (name, stdin, says) => {
    const all = [
      ['jobs', 'run', 'ep1', '--input', '-'],
      ['jobs', 'run', 'ep1', '--input', '-', '--sync'],
      ['api', 'POST', '/v2/x', '--input', '-'],
    ];
    for (const argv of all.slice(0, name === 'NaN' ? 3 : 1)) {
      const { servers, error } = await failsReading(argv, stdin, says);
      expect(servers[0].connections()).toBe(0);
      expect(error.code).toBe('usage');
    }
  });

  /** An input stream can be read only once, so each run gets a new one. */
  const failsReading = (argv: readonly string[], stdin: string | Uint8Array, says: string) =>
    fails(argv, { exit: 2, says: [says, 'stdin'] }, [], { stdin });

  test.each([['@no-such-file'], ['@.']])('a file that cannot be read (%s): 14, by its name', async (input) => {
    const { servers } = await fails(['jobs', 'run', 'ep1', '--input', input], {
      exit: 14,
      says: [input.slice(1), /does not exist|is a directory/],
    });
    expect(servers[0].connections()).toBe(0);
  });
});

describe('no terminal to ask on', () => {
  test.each([
    ['a value', ['volumes', 'create', '--name', 'n'], [/missing --size and --data-center/]],
    ['an argument', ['pods', 'get'], ['missing POD', 'Usage: berth pods get POD']],
    ['the input', ['jobs', 'run', 'ep1'], ['missing --input']],
    ['a confirmation', ['queue', 'purge', 'ep1'], ['--yes']],
    ['a confirmation', ['registries', 'delegations', 'revoke', 'd1'], ['--yes']],
    ['a confirmation', ['jobs', 'cancel', 'ep1', 'job1', 'job2'], ['--yes']],
    ['a key', ['auth', 'login', '--base-url', 'https://api.example.com'], ['--with-key']],
  ] as const)('for %s: 2, and nothing sent (berth %s)', async (_, argv, says) => {
    const all = [
      { tty: true, env: { CI: 'true' } },
      {},
      { stdin: '' },
      { tty: { stdout: true, stderr: true } },
      { tty: { stdin: true, stdout: true } },
      { tty: true, env: { BERTH_NO_INPUT: '1' } },
      { tty: true, env: { TERM: 'dumb' } },
      { tty: { stdin: true }, env: { TERM: 'dumb' } },
    ];
    for (const options of argv[0] === 'queue' ? all : all.slice(0, 2)) {
      const server = await serve([json({})]);
      const ran = await berth(argv, { ...options, env: { ...pointedAt(server.url), ...options.env } });
      expectNoKeyNoStack(ran);
      expect({ code: ran.code, out: ran.out }, ran.err).toEqual({ code: 2, out: '' });
      for (const words of says) expect(ran.err).toMatch(words);
      expect(server.connections()).toBe(0);
    }
  });

  test('a terminal where piped input is required: 2', async () => {
    for (const argv of [
      ['jobs', 'run', 'ep1', '--input', '-'],
      ['api', 'POST', '/v2/x', '--input', '-'],
      ['auth', 'login', '--with-key', '--base-url', 'https://api.example.com'],
    ]) {
      const ran = await berth(argv, { tty: true, env: pointedAt('https://127.0.0.1:8443') });
      expectNoKeyNoStack(ran);
      expect(ran.code, ran.err).toBe(2);
      expect(ran.err).toContain('terminal');
    }
  });

  test.each([
    ['by Ctrl-D', KEYS.ctrlD],
    ['by its end', null],
  ])('the input ends in the middle of a question, %s: 2', async (_, end) => {
    const server = await serve([routed({ 'GET /v2/ep1/health': json({ jobs: { inQueue: 3 }, workers: {} }) })]);
    const world = createTestWorld({ tty: true, env: pointedAt(server.url) });
    const running = berthIn(world, ['queue', 'purge', 'ep1']);
    await said(world, 'Continue?');
    world.stdin.push(end);
    const ran = await running;
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('3 waiting jobs');
    expect(server.seen.map(({ method }) => method)).toEqual(['GET']);
  });

  test('the answer is no: nothing is sent', async () => {
    const server = await serve([routed({ 'GET /v2/ep1/health': json({ jobs: { inQueue: 1 }, workers: {} }) })]);
    const world = createTestWorld({ tty: true, env: pointedAt(server.url) });
    const running = berthIn(world, ['queue', 'purge', 'ep1']);
    await said(world, 'Continue?');
    await world.type('n', KEYS.enter);
    expect((await running).code).toBe(2);
    expect(server.seen.map(({ method }) => method)).toEqual(['GET']);
  });
});
