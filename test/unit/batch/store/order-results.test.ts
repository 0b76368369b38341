import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { orderResults, type WrittenResults } from '../../../../src/batch/store/results-file.ts';
import type { JournalRecord } from '../../../../src/batch/store/record.ts';
import type { DurableFiles } from '../../../../src/core/context.ts';
import { openDurable } from '../../../../src/host/files/durable-files.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { realLocks } from '../../../support/files/real-locks.ts';
import { items, OUT, read, RESUME, RUN, summary, write } from '../../../support/batch/command-fixture.ts';
import { memoryFiles } from '../../../support/batch/memory-files.ts';
import { FAST, createTinyQueueWorld, type TinyQueueWorld } from '../../../support/batch/tiny-queue-server.ts';

const never = new AbortController().signal;
const line = (item: number, sign: string): string => `{"item":${String(item)},"output":"${sign}"}\n`;
/** Results of which every line counts. */
const writtenOf = (text: string, positions: number): WrittenResults => ({
  path: OUT,
  resultBytes: Buffer.byteLength(text),
  states: { positions, stateOf: () => 'completed' },
});

describe('sorting the results', () => {
  test('gives the last line of each item once, for any order', async () => {
    const order = fc.array(fc.nat(60), { maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(order, async (list) => {
        const text = list.map((item, at) => line(item + 1, `${String(at)}${'x'.repeat(at % 50)}`)).join('');
        const files = memoryFiles({ [OUT]: text });
        const notes: JournalRecord[] = [];
        const note = async (record: JournalRecord): Promise<void> => {
          notes.push(record);
        };
        await orderResults(files, writtenOf(text, 61), note, never);
        const last = new Map(list.map((item, at) => [item + 1, line(item + 1, `${String(at)}${'x'.repeat(at % 50)}`)]));
        const wanted = [...last]
          .sort(([a], [b]) => a - b)
          .map(([, each]) => each)
          .join('');
        expect(files.text(OUT)).toBe(wanted);
        expect(notes).toEqual([{ kind: 'ordered', bytes: Buffer.byteLength(wanted), checksum: crc32(wanted) }]);
        expect([...files.files.keys()]).toEqual([OUT]);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['nearly in order', (at: number, count: number) => Math.min(count, Math.max(1, at + ((at * 7) % 500))), 2.2],
    ['reversed', (at: number, count: number) => count - at + 1, 2.2],
    ['in no order', (at: number, count: number) => ((at * 7919) % count) + 1, 4.5],
  ])('%s, 40 MB are read a few times, not once for each line', async (_, itemAt, most) => {
    const directory = mkdtempSync(join(tmpdir(), 'berth-test-'));
    onTestFinished(() => {
      rmSync(directory, { recursive: true, force: true });
    });
    const count = 20_000;
    const text = Array.from({ length: count }, (_unused, at) => line(itemAt(at + 1, count), 'x'.repeat(2000))).join('');
    writeFileSync(join(directory, OUT), text);
    const real = openDurable({ stdin: new PassThrough(), cwd: directory }, never, realLocks());
    let readBytes = 0;
    const counting: DurableFiles = {
      ...real,
      read: async function* (path, from) {
        for await (const piece of real.read(path, from)) {
          readBytes += piece.byteLength;
          yield piece;
        }
      },
    };
    await orderResults(counting, writtenOf(text, count), async () => undefined, never);
    const found = [...readFileSync(join(directory, OUT), 'utf8').matchAll(/"item":(\d+)/g)].map(([, item]) =>
      Number(item),
    );
    expect(found.every((item, at) => at === 0 || item > (found[at - 1] ?? 0))).toBe(true);
    expect(readBytes).toBeLessThan(most * text.length);
    expect(readdirSync(directory)).toEqual([OUT]);
  });
});

const LARGE = 150;

/** Jobs with large outputs, so that ordering takes a while. */
async function createWorldWithLargeResults(): Promise<TinyQueueWorld> {
  const world = await createTinyQueueWorld({ status: () => ({ output: 'x'.repeat(40_000) }) });
  write(world, 'in.jsonl', items(LARGE));
  return world;
}

/** Until a file of that name lies in the directory. */
async function appears(world: TinyQueueWorld, name: string): Promise<void> {
  while (!existsSync(join(world.directory, name))) await new Promise(setImmediate);
}

const itemsIn = (world: TinyQueueWorld): readonly number[] =>
  [...read(world, OUT).matchAll(/^\{"item":(\d+)/gm)].map(([, item]) => Number(item));

describe('an ordered batch', () => {
  test('stops on Ctrl-C while its results are sorted; status says so, and a resume sorts them', async () => {
    const world = await createWorldWithLargeResults();
    const running = berthIn(world, [...RUN, ...FAST, '--ordered', '--json']);
    await appears(world, `${OUT}.ordered`);
    world.signal('SIGINT');
    const ran = await running;
    expect(ran.code, ran.err).toBe(130);
    expect(summary(ran)).toMatchObject({ completed: LARGE });
    expect(new Set(itemsIn(world)).size).toBe(LARGE);

    const status = await berthIn(world, ['jobs', 'batch', 'status', OUT, '--json']);
    expect(summary(status)).toMatchObject({ state: 'stopped', unordered: true, completed: LARGE });
    const shown = await berthIn(world, ['jobs', 'batch', 'status', OUT]);
    expect(shown.out).toContain('not in order yet');
    expect(shown.err).toContain('berth jobs batch resume out.jsonl');

    const resumed = await berthIn(world, [...RESUME, '--json']);
    expect(resumed.code, resumed.err).toBe(0);
    expect(itemsIn(world)).toEqual(Array.from({ length: LARGE }, (_, at) => at + 1));
    expect(
      readdirSync(world.directory)
        .filter((name) => name.startsWith('out'))
        .sort(),
    ).toEqual([OUT, `${OUT}.journal`, `${OUT}.journal.end`]);
    const ended = await berthIn(world, ['jobs', 'batch', 'status', OUT, '--json']);
    expect(summary(ended)).toMatchObject({ state: 'ended' });
    expect(summary(ended)).not.toHaveProperty('unordered');
  });

  test('that has ended is not rewritten by a resume', async () => {
    const world = await createTinyQueueWorld();
    write(world, 'in.jsonl', items(30));
    expect((await berthIn(world, [...RUN, '--ordered'])).code).toBe(0);
    const before = statSync(join(world.directory, OUT));
    const journal = read(world, `${OUT}.journal`);
    for (let round = 0; round < 2; round += 1) expect((await berthIn(world, RESUME)).code).toBe(0);
    const after = statSync(join(world.directory, OUT));
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
    expect(read(world, `${OUT}.journal`)).toBe(journal);
  });
});
