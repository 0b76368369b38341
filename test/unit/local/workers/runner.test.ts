import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decodeJson, memberAt } from '../../../../src/core/json.ts';
import { queuesOf } from '../../../../src/local/queue/records.ts';
import { serve, type Served } from '../../../support/local/worker-fixture.ts';

/** An endless loop, well under way. */
interface Loop extends Served {
  /** Of its job. */
  readonly id: string;
  /** What it writes to. */
  readonly file: string;
}

describe('handler modules', () => {
  /** A handler that loops for ever unless told not to, and counts in a file. */
  const LOOP = `import { appendFileSync } from 'node:fs';
    export default (input) => { appendFileSync(input.file, 'x'); while (input.loop) appendFileSync(input.file, '.'); return 'done'; };`;

  const loopStarted = async (more = ''): Promise<Loop> => {
    const served = await serve(LOOP);
    const file = join(served.folder, 'ticks');
    const id = await served.start(JSON.stringify({ file, loop: true }), more);
    await served.until(
      () => readFile(file, 'utf8').catch(() => ''),
      (text) => text.length > 0,
    );
    return { ...served, id, file };
  };

  const expectStill = async ({ tick, file }: Loop): Promise<void> => {
    await tick();
    const sizes = new Set<number>();
    // A loop that still ran would write between the readings.
    for (let reading = 0; reading < 50; reading++) sizes.add((await readFile(file)).length);
    expect(sizes.size).toBe(1);
  };

  test('a cancel ends an endless loop for real, and the worker takes the next job', async () => {
    const loop = await loopStarted();
    const { service, ended, id, file } = loop;
    expect((await service.call(`POST /mine/cancel/${id}`)).value).toEqual({ id, status: 'CANCELLED' });
    await expectStill(loop);
    const next = await service.submit('mine', JSON.stringify({ file, loop: false }));
    expect(await ended(next)).toMatchObject({ status: 'COMPLETED', output: 'done' });
    expect(await service.status('mine', id)).toMatchObject({ status: 'CANCELLED' });
  });

  test('a job whose outcome is saved together with a sync runs once', async () => {
    const served = await serve('');
    const { service, stop, replaceRunner, tick } = served;
    await stop();
    const ends: (() => void)[] = [];
    const saves: (() => void)[] = [];
    let isSaving = false;
    replaceRunner({
      startWorker: () => ({
        stopped: false,
        run: () =>
          new Promise((resolve) => {
            ends.push(() => {
              resolve({ kind: 'output', text: '"done"' });
            });
          }),
        stop: () => Promise.resolve(),
      }),
      // Steps run at once, and their promises are settled together when the save ends.
      transact: async (step) => {
        const result = await service.transact(step);
        if (isSaving) await new Promise<void>((resolve) => saves.push(resolve));
        return result;
      },
    });
    const id = await served.start('{}');
    await tick();
    isSaving = true;
    const sync = tick();
    while (saves.length < 1) await Promise.resolve();
    for (const end of ends) end();
    while (saves.length < 2) await Promise.resolve();
    isSaving = false;
    for (const save of saves) save();
    await sync;
    await tick();
    expect(ends).toHaveLength(1);
    expect(await service.status('mine', id)).toMatchObject({ status: 'COMPLETED', output: 'done' });
    for (const end of ends) end();
  });

  test('a job runs once when its chunks and its outcome cannot be saved for some time', async () => {
    const source = `import { appendFileSync } from 'node:fs';
      export default async function* (input) { appendFileSync(input.file, 'x'); yield 'a'; yield 'b'; }`;
    const served = await serve(source);
    const { service, folder, stop, replaceRunner, tick } = served;
    const file = join(folder, 'runs');
    let failures = 0;
    await stop();
    replaceRunner({
      // After the handler has begun, some steps fail.
      transact: (step) =>
        existsSync(file) && failures++ < 5 ? Promise.reject(new Error('the disk is full')) : service.transact(step),
    });
    const id = await served.start(JSON.stringify({ file }));
    await expect
      .poll(
        async () => {
          await tick().catch(() => undefined);
          return await service.status('mine', id);
        },
        { interval: 2 },
      )
      .toMatchObject({ status: 'COMPLETED', output: ['a', 'b'] });
    expect(await readFile(file, 'utf8')).toBe('x');
  });

  test('a runner that takes over runs the job again, and repeats no chunk', async () => {
    const source = `import { existsSync, writeFileSync } from 'node:fs';
      export default async function* (input) { yield 'a'; yield 'b'; if (!existsSync(input.file)) { writeFileSync(input.file, ''); await new Promise(() => setInterval(() => {}, 1000)); } yield 'c'; }`;
    const { service, folder, start, stop, replaceRunner, until, ended } = await serve(source);
    const id = await start(JSON.stringify({ file: join(folder, 'once') }));
    await until(
      () => queuesOf(service.state).jobs[id]?.stream.made,
      (made) => made === 2,
    );
    await until(
      () => existsSync(join(folder, 'once')),
      (isThere) => isThere,
    );
    await stop();
    const first = decodeJson((await service.call(`GET /mine/stream/${id}`)).text);
    replaceRunner();
    expect(await ended(id)).toMatchObject({ status: 'COMPLETED', output: ['a', 'b', 'c'] });
    expect([memberAt(first, '0.output'), memberAt(first, '1.output')]).toEqual(['a', 'b']);
    expect(JSON.parse((await service.call(`GET /mine/stream/${id}`)).text)).toMatchObject([{ output: 'c' }]);
  });
});
