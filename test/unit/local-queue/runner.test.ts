import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decodeJson, memberAt } from '../../../src/core/json.ts';
import { newEndpoint } from '../../../src/local/endpoints/seed.ts';
import { createRunner, type Runner, type RunnerOptions } from '../../../src/local/queue/index.ts';
import { COLD_START_MS } from '../../../src/local/queue/workers.ts';
import { createHarness, type Harness } from './harness.ts';

let folder = '';
let service: Harness;
let runner: Runner | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-handlers-'));
  service = createHarness({ endpoints: [newEndpoint('mine', 'mine', 'module', 0)] });
});

afterEach(async () => {
  await runner?.stop();
  runner = undefined;
  await rm(folder, { recursive: true, force: true });
});

async function serve(source: string, options: Partial<RunnerOptions> = {}, name = 'handler.mjs'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, source);
  runner = createRunner({
    transact: service.transact,
    handlers: { mine: path },
    fetchWebhook: () => Promise.reject(new Error('no webhook here')),
    ...options,
  });
  return path;
}

/** Ticks until it is so. Threads take real time to start; the service's own clock stands still meanwhile. */
async function until<T>(look: () => Promise<T> | T, isSo: (found: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 2000; tries++) {
    await runner?.tick();
    const found = await look();
    if (isSo(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error(`it never came: ${JSON.stringify(await look())}`);
}

const ended = (id: string): Promise<Record<string, unknown>> =>
  until(
    async () => (await service.status('mine', id)) as Record<string, unknown>,
    ({ status }) => status !== 'IN_QUEUE' && status !== 'IN_PROGRESS',
  );

const start = async (input: string, more = ''): Promise<string> => {
  const id = await service.submit('mine', input, more);
  service.pass(COLD_START_MS);
  return id;
};

describe('handler modules', () => {
  test.each([
    ['a default export', 'export default (input) => ({ twice: input.n * 2 });', 'handler.mjs'],
    ['a named handler', 'export async function handler(input) { return { twice: input.n * 2 }; }', 'handler.mjs'],
    ['a CommonJS module', 'module.exports = (input) => ({ twice: input.n * 2 });', 'handler.cjs'],
    ['a CommonJS module with a member', 'exports.handler = (input) => ({ twice: input.n * 2 });', 'handler.cjs'],
    ['a name with a space and a hash', 'export default (input) => ({ twice: input.n * 2 });', 'my #1 handler.mjs'],
  ])('a function: %s', async (_what, source, name) => {
    await serve(source, {}, name);
    const id = await start('{"n":21}');
    expect(await ended(id)).toMatchObject({ status: 'COMPLETED', output: { twice: 42 } });
  });

  test('a file: URL serves as well, and the handler is told which job it is', async () => {
    const path = await serve('export default (_input, job) => job;');
    runner = createRunner({
      transact: service.transact,
      handlers: { mine: pathToFileURL(path).href },
      fetchWebhook: () => Promise.resolve(200),
    });
    const id = await start('{}');
    expect(await ended(id)).toMatchObject({ output: { id, endpointId: 'mine' } });
  });

  test('a function that gives nothing completes with null', async () => {
    await serve('export default () => {};');
    expect(await ended(await start('{}'))).toMatchObject({ status: 'COMPLETED', output: null });
  });

  test.each([
    ['async', 'export default async function* (input) { for (let n = 0; n < input.n; n++) yield { n }; }'],
    ['plain', 'export default function* (input) { for (let n = 0; n < input.n; n++) yield { n }; }'],
  ])('an %s generator streams, and its output is all it gave', async (_kind, source) => {
    await serve(source);
    const id = await start('{"n":5}');
    expect(await ended(id)).toMatchObject({ output: [{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }] });
    const { text } = await service.call(`GET /mine/stream/${id}`);
    const all = [0, 1, 2, 3, 4].map((n) => ({ output: { n }, metrics: { stream_index: n } }));
    expect(JSON.parse(text)).toEqual(all);
    expect((await service.call(`GET /mine/stream/${id}`)).text).toBe('[]');
  });

  test.each([
    ['throws', 'export default () => { throw new Error("out of luck"); };', 'out of luck'],
    ['throws a TypeError', 'export default (input) => input.a.b;', /^TypeError: .*undefined/],
    ['throws text', 'export default () => { throw "plain"; };', 'plain'],
    ['rejects', 'export default async () => { throw new RangeError("late"); };', 'RangeError: late'],
    ['yields and throws', 'export default async function* () { yield 1; throw new Error("midway"); }', 'midway'],
    ['gives no JSON', 'export default () => 1n;', /not JSON/],
    ['ends its thread', 'export default () => process.exit(3);', /exit code 3/],
    [
      'breaks down beside',
      'export default () => new Promise(() => setTimeout(() => { throw new Error("aside"); }));',
      /aside/,
    ],
    ['does not parse', 'export default (', /cannot load the handler module .*handler\.mjs: SyntaxError/],
    ['throws when loaded', 'throw new Error("no config");', /cannot load the handler module .*no config/],
    ['exports nothing to call', 'export const other = 1;', /exports no function/],
  ])('a handler that %s: FAILED with the reason', async (_what, source, error) => {
    await serve(source);
    const job = await ended(await start('{}'));
    expect(job).toMatchObject({ status: 'FAILED' });
    expect(job.error).toMatch(error);
    expect(job.error).not.toMatch(/\n\s+at /);
  });

  test('a module that is not there: FAILED, and well again once it is', async () => {
    const path = await serve('');
    await rm(path);
    const id = await start('{}');
    expect((await ended(id)).error).toMatch(/cannot load the handler module/);
    await writeFile(path, 'export default () => "here";');
    service.pass(10_000);
    await runner?.tick();
    await service.call(`POST /mine/retry/${id}`);
    service.pass(COLD_START_MS);
    expect(await ended(id)).toMatchObject({ status: 'COMPLETED', output: 'here' });
  });

  test('an endpoint whose module nobody serves: FAILED, naming the flag', async () => {
    await serve('export default () => 1;', { handlers: {} });
    expect((await ended(await start('{}'))).error).toContain('--endpoint mine=');
  });

  /** A handler that loops for ever unless told not to, and counts in a file. */
  const LOOP = `import { appendFileSync } from 'node:fs';
    export default (input) => { appendFileSync(input.file, 'x'); while (input.loop) appendFileSync(input.file, '.'); return 'done'; };`;

  const loopStarted = async (more = ''): Promise<{ readonly id: string; readonly file: string }> => {
    await serve(LOOP);
    const file = join(folder, 'ticks');
    const id = await start(JSON.stringify({ file, loop: true }), more);
    await until(
      () => readFile(file, 'utf8').catch(() => ''),
      (text) => text.length > 0,
    );
    return { id, file };
  };

  const expectStill = async (file: string): Promise<void> => {
    await runner?.tick();
    const sizes = new Set<number>();
    // A loop that still ran would write between the readings.
    for (let reading = 0; reading < 50; reading++) sizes.add((await readFile(file)).length);
    expect(sizes.size).toBe(1);
  };

  test('a cancel ends an endless loop for real, and the worker takes the next job', async () => {
    const { id, file } = await loopStarted();
    expect((await service.call(`POST /mine/cancel/${id}`)).value).toEqual({ id, status: 'CANCELLED' });
    await expectStill(file);
    const next = await service.submit('mine', JSON.stringify({ file, loop: false }));
    expect(await ended(next)).toMatchObject({ status: 'COMPLETED', output: 'done' });
    expect(await service.status('mine', id)).toMatchObject({ status: 'CANCELLED' });
  });

  test('an execution timeout ends an endless loop for real', async () => {
    const { id, file } = await loopStarted(',"policy":{"executionTimeout":5000}');
    service.pass(5000);
    expect(await service.status('mine', id)).toMatchObject({ status: 'TIMED_OUT' });
    await expectStill(file);
  });

  test('stop ends an endless loop and reports nothing of it', async () => {
    const { id, file } = await loopStarted();
    await runner?.stop();
    await expectStill(file);
    expect(await service.status('mine', id)).toMatchObject({ status: 'IN_PROGRESS' });
  });

  test('a runner that takes over runs the job again, and repeats no chunk', async () => {
    const source = `import { existsSync, writeFileSync } from 'node:fs';
      export default async function* (input) { yield 'a'; yield 'b'; if (!existsSync(input.file)) { writeFileSync(input.file, ''); await new Promise(() => setInterval(() => {}, 1000)); } yield 'c'; }`;
    const path = await serve(source);
    const id = await start(JSON.stringify({ file: join(folder, 'once') }));
    await until(
      () => service.state.queue.jobs[id]?.stream.made,
      (made) => made === 2,
    );
    await until(
      () => existsSync(join(folder, 'once')),
      (isThere) => isThere,
    );
    await runner?.stop();
    const first = decodeJson((await service.call(`GET /mine/stream/${id}`)).text);
    runner = createRunner({
      transact: service.transact,
      handlers: { mine: path },
      fetchWebhook: () => Promise.resolve(200),
    });
    expect(await ended(id)).toMatchObject({ status: 'COMPLETED', output: ['a', 'b', 'c'] });
    expect([memberAt(first, '0.output'), memberAt(first, '1.output')]).toEqual(['a', 'b']);
    expect(JSON.parse((await service.call(`GET /mine/stream/${id}`)).text)).toMatchObject([{ output: 'c' }]);
  });

  test('what a handler prints goes to the log, not to stdout', async () => {
    const lines: string[] = [];
    await serve('export default () => { console.log("hello"); console.error("oh"); return 1; };', {
      log: (endpointId, text) => lines.push(`${endpointId}: ${text}`),
    });
    await ended(await start('{}'));
    await until(
      () => lines,
      (all) => all.length >= 2,
    );
    expect(lines.sort()).toEqual(['mine: hello\n', 'mine: oh\n']);
  });

  test("what a handler prints is in its worker's record, line by line, the last of them", async () => {
    await serve(`export default ({ lines }) => {
      process.stdout.write('in two ');
      process.stdout.write('pieces\\n');
      console.log('x'.repeat(3000));
      for (let line = 0; line < lines; line++) console.log('line ' + line);
    };`);
    const printed = (): readonly { readonly at: number; readonly line: string }[] =>
      Object.values(service.state.queue.lanes.mine?.workers ?? {}).flatMap((worker) => worker.printed ?? []);
    await ended(await start('{"lines":1}'));
    const first = await until(printed, (all) => all.length === 3);
    expect(first.map(({ line }) => line)).toEqual(['in two pieces', 'x'.repeat(2000), 'line 0']);
    expect(new Set(first.map(({ at }) => at))).toEqual(new Set([service.clock.now()]));
    await ended(await service.submit('mine', '{"lines":300}'));
    const last = await until(printed, (all) => all.at(-1)?.line === 'line 299');
    expect([last.length, last[0]?.line]).toEqual([200, 'line 100']);
  });

  test('a worker keeps its thread from job to job, and loses it when it goes', async () => {
    await serve('let calls = 0; export default () => ++calls;');
    expect(await ended(await start('{}'))).toMatchObject({ output: 1 });
    expect(await ended(await service.submit('mine', '{}'))).toMatchObject({ output: 2 });
    service.pass(60_000);
    await runner?.tick();
    expect(await ended(await start('{}'))).toMatchObject({ output: 1 });
  });

  test('a step that cannot be kept is told by the next tick', async () => {
    let broken = false;
    await serve('export default () => 1;', {
      transact: (step) =>
        service.transact((state, now) => {
          const result = step(state, now);
          if (broken) throw new Error('the disk is full');
          return result;
        }),
    });
    await start('{}');
    await runner?.tick();
    broken = true;
    await expect(runner?.tick()).rejects.toThrow('the disk is full');
  });
});

describe('webhooks (contract rules, Queue API)', () => {
  const hook = (
    statuses: readonly (number | Error)[],
  ): { readonly sent: string[]; fetchWebhook: RunnerOptions['fetchWebhook'] } => {
    const sent: string[] = [];
    return {
      sent,
      fetchWebhook: (url, body) => {
        const status = statuses[sent.push(`${url} ${body}`) - 1] ?? 200;
        return status instanceof Error ? Promise.reject(status) : Promise.resolve(status);
      },
    };
  };

  const look = async (): Promise<void> => {
    await runner?.tick();
    // Once more behind the try's own step.
    await runner?.tick();
    await runner?.tick();
  };

  test('the status document is posted once the job has ended', async () => {
    const { sent, fetchWebhook } = hook([]);
    await serve('', { fetchWebhook });
    const id = await service.submit('demo', '{"n":9007199254740993}', ',"webhook":"http://127.0.0.1:9/hook?x=1"');
    await look();
    expect(sent).toEqual([]);
    service.pass(COLD_START_MS + 1000);
    await look();
    const document = (await service.call(`GET /demo/status/${id}`)).text;
    expect(document).toContain('"output":{"n":9007199254740993}');
    expect(sent).toEqual([`http://127.0.0.1:9/hook?x=1 ${document}`]);
    service.pass(60_000);
    await look();
    expect(sent).toHaveLength(1);
  });

  test.each([
    ['until it answers 200', [500, 200], 2],
    ['where the connection fails', [new Error('refused'), 200], 2],
    ['where it answers anything else, 204 too', [204, 302, 200], 3],
    ['no more than three times', [500, 500, 500, 200], 3],
  ])('tries again 10 s later: %s', async (_what, statuses, tries) => {
    const { sent, fetchWebhook } = hook(statuses);
    await serve('', { fetchWebhook });
    await service.submit('echo', '{}', ',"webhook":"http://127.0.0.1:9/"');
    service.pass(COLD_START_MS + 10);
    for (let time = 0; time < 6; time++) {
      await look();
      expect(sent).toHaveLength(Math.min(time + 1, tries));
      service.pass(9999);
      await look();
      expect(sent).toHaveLength(Math.min(time + 1, tries));
      service.pass(1);
    }
    expect(service.state.queue.outbox).toEqual([]);
  });

  test.each(['CANCELLED', 'FAILED'])('a job that ends %s is told of too', async (status) => {
    const { sent, fetchWebhook } = hook([]);
    await serve('', { fetchWebhook });
    const id = await service.submit('fail', '{}', ',"webhook":"http://127.0.0.1:9/"');
    if (status === 'CANCELLED') await service.call(`POST /fail/cancel/${id}`);
    service.pass(COLD_START_MS + 10);
    await look();
    expect(sent).toEqual([expect.stringContaining(`"status":"${status}"`)]);
  });

  test('a job that was retried before the try is told of when it ends again', async () => {
    const { sent, fetchWebhook } = hook([]);
    await serve('', { fetchWebhook });
    const id = await service.submit('fail', '{"times":1}', ',"webhook":"http://127.0.0.1:9/"');
    service.pass(COLD_START_MS + 10);
    await service.call(`POST /fail/retry/${id}`);
    service.pass(10);
    await look();
    expect(sent).toEqual([expect.stringContaining('"status":"COMPLETED"')]);
  });
});
