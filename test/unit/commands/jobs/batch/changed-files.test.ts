import { appendFileSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { items, OUT, read, RESUME, RUN, summary, write } from '../../../../support/batch/command-fixture.ts';
import { createStoppedBatch, resultsOf } from '../../../../support/batch/stopped-batch.ts';
import { FAST, createTinyQueueWorld } from '../../../../support/batch/tiny-queue-server.ts';

const JOURNAL = `${OUT}.journal`;
const COUNT = 300;
/** Lines of 2 KB: data than one block of the input is still unread when the first jobs go out. */
const long = (): string =>
  Array.from({ length: COUNT }, (_, at) => `{"n":${String(at + 1)},"pad":"${'a'.repeat(2000)}"}\n`).join('');

const stopsWithCounts = (ran: Ran, message: string): void => {
  expect(ran.code, ran.err).toBe(14);
  expect(ran.err).toContain(message);
  expect(ran.err).not.toContain('a bug in berth');
  const { planned, ...rest } = summary(ran) as Record<string, number>;
  const sum = ['completed', 'failed', 'cancelled', 'timedOut', 'expired', 'unknown', 'inFlight', 'waiting'].map(
    (name) => rest[name] ?? Number.NaN,
  );
  expect(sum.reduce((a, b) => a + b, 0)).toBe(planned);
};

/** Changes a file in its place, as another program does. */
function change(how: 'deleted' | 'replaced' | 'cut' | 'appended to' | 'edited', path: string): void {
  if (how === 'deleted') rmSync(path);
  else if (how === 'replaced') {
    writeFileSync(`${path}.new`, 'x');
    renameSync(`${path}.new`, path);
  } else if (how === 'cut') truncateSync(path, Math.floor(statSync(path).size / 2));
  else if (how === 'appended to') appendFileSync(path, items(50));
  else writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/"pad":"a|"n":1/g, '"x":"b'), { flag: 'r+' });
}

describe('an input that changes while its batch runs', () => {
  test.each(['edited', 'appended to', 'cut'] as const)(
    '%s: none of the new content is sent, and the batch stops with counts',
    async (how) => {
      const world = await createTinyQueueWorld();
      write(world, 'in.jsonl', long());
      world.before = (operation, nth) => {
        if (operation === 'run' && nth === 10) change(how, join(world.directory, 'in.jsonl'));
      };
      const ran = await berthIn(world, [...RUN, ...FAST, '--in-flight', '32', '--json']);
      stopsWithCounts(ran, 'the input in.jsonl was changed after it was checked');
      const results = resultsOf(world);
      expect(results.length).toBeGreaterThan(9);
      // What was sent is fetched, and it is what was checked.
      expect(summary(ran)).toMatchObject({ completed: results.length, inFlight: 0 });
      for (const { item, output } of results) expect(output).toEqual({ n: item, pad: 'a'.repeat(2000) });

      const resumed = await berthIn(world, RESUME);
      expect(resumed.code).toBe(14);
      expect(world.submitted.length).toBe(results.length);
      write(world, 'in.jsonl', long());
      const rest = await berthIn(world, [...RESUME, ...FAST, '--json']);
      expect(rest.code, rest.err).toBe(0);
      expect(world.submitted.length).toBe(COUNT);
    },
  );
});

describe('files of a batch that are changed while it runs', () => {
  test.each([
    ['deleted', OUT],
    ['deleted', JOURNAL],
    ['replaced', OUT],
    ['replaced', JOURNAL],
    ['cut', OUT],
    ['appended to', JOURNAL],
    ['edited', OUT],
  ] as const)('%s, %s: the batch stops with 14 and counts', async (how, name) => {
    const world = await createTinyQueueWorld();
    write(world, 'in.jsonl', items(300));
    world.before = (operation, nth) => {
      if (operation === 'status' && nth === 60) change(how, join(world.directory, name));
    };
    const ran = await berthIn(world, [...RUN, ...FAST, '--in-flight', '16', '--json']);
    stopsWithCounts(ran, ' by another program');
  });

  test.each([
    ['results', OUT],
    ['journal', JOURNAL],
  ])('the %s deleted when all is written: not done either', async (_, name) => {
    const world = await createTinyQueueWorld();
    write(world, 'in.jsonl', items(5));
    // The lock of the batch goes last, so the last answer is the last moment that can be hit from outside.
    world.before = (operation, nth) => {
      if (operation === 'status' && nth === 5) rmSync(join(world.directory, name));
    };
    stopsWithCounts(await berthIn(world, [...RUN, '--json']), 'was removed');
  });
});

describe('files of a batch that are changed between two runs', () => {
  const edits: readonly (readonly [string, (text: string) => string])[] = [
    ['a byte is flipped', (text) => text.replace('"n":1', '"n":9')],
    ['line ends are CRLF', (text) => text.replaceAll('\n', '\r\n')],
    ['two lines are swapped', (text) => text.replace(/^(.*\n)(.*\n)/, '$2$1')],
  ];
  test.each(edits)('a resume detects results in which %s before it appends', async (_, edit) => {
    const world = await createStoppedBatch();
    const edited = edit(read(world, OUT));
    write(world, OUT, edited);
    const [journal, sent] = [read(world, JOURNAL), world.submitted.length];
    const ran = await berthIn(world, RESUME);
    expect(ran.code, ran.err).toBe(14);
    expect(ran.err).toContain('was changed since it was written');
    expect([read(world, OUT), read(world, JOURNAL), world.submitted.length]).toEqual([edited, journal, sent]);
  });
});
