import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checksum } from '../../../../../src/batch/store/record.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { items, OUT, read, RESUME, RUN, summary, write } from '../../../../support/batch/command-fixture.ts';
import { createStoppedBatch, resultsOf } from '../../../../support/batch/stopped-batch.ts';
import { createTinyQueueWorld } from '../../../../support/batch/tiny-queue-server.ts';

const JOURNAL = `${OUT}.journal`;
const END = `${JOURNAL}.end`;

/** What the file beside a journal has, by the checksums of its header and of its last record and its length in bytes. */
function endOf(header: string, bytes: number, last: string): string {
  const text = `${header} ${String(bytes).padStart(16, '0')} ${last}`;
  return `${checksum(text, 0)} ${text}\n`;
}

describe('a journal that is changed between two runs', () => {
  test('a resume notices that a journal was cut before any record, and sends nothing', async () => {
    const world = await createStoppedBatch();
    const [journal, results, end] = [read(world, JOURNAL), read(world, OUT), read(world, END)];
    const submitted = world.submitted.length;
    const lines = journal.split('\n').slice(0, -1);
    for (let kept = 1; kept < lines.length; kept += 1) {
      const left = `${lines.slice(0, kept).join('\n')}\n`;
      write(world, JOURNAL, left);
      const status = kept === 1 ? [['jobs', 'batch', 'status', OUT]] : [];
      for (const command of [RESUME, ...status]) {
        const ran = await berthIn(world, command);
        expect([ran.code, ran.err]).toEqual([14, expect.stringContaining('records at its end are missing')]);
      }
      expect([read(world, OUT), read(world, JOURNAL), read(world, END)]).toEqual([results, left, end]);
    }
    expect(world.submitted.length).toBe(submitted);
  });

  test.each([
    ['that is missing, as in a copy', undefined],
    ['that is empty, as after a power cut', ''],
    ['of an earlier batch at this place', endOf('0badc0de', 999_999, '0badc0de')],
  ])('a file beside the journal %s does not stop a resume, and is written anew', async (_, content) => {
    const world = await createStoppedBatch();
    if (content === undefined) rmSync(join(world.directory, END));
    else write(world, END, content);
    const ran = await berthIn(world, [...RESUME, '--json']);
    expect(ran.code, ran.err).toBe(0);
    expect(summary(ran)).toMatchObject({ completed: 20 });
    expect(Number(read(world, END).split(' ')[2])).toBe(read(world, JOURNAL).length);
  });

  test.each(['run', 'resume'])(
    '%s refuses a file of another program beside the journal, and leaves it',
    async (verb) => {
      const world = verb === 'run' ? await createTinyQueueWorld() : await createStoppedBatch();
      write(world, 'in.jsonl', items(20));
      write(world, END, 'mine');
      const ran = await berthIn(world, verb === 'run' ? RUN : RESUME);
      expect([ran.code, ran.err]).toEqual([14, expect.stringContaining(`${END} exists already`)]);
      expect(read(world, END)).toBe('mine');
      if (verb === 'run') expect([existsSync(join(world.directory, JOURNAL)), world.submitted]).toEqual([false, []]);
    },
  );

  test('after a journal without the file beside it was cut, nothing is resent that the results prove was sent', async () => {
    const world = await createStoppedBatch();
    rmSync(join(world.directory, END));
    const [journal, results] = [read(world, JOURNAL), read(world, OUT)];
    const submitted = world.submitted.length;
    const records = journal.split('\n').slice(0, -1);
    const answered = new Set(resultsOf(world).map(({ item }) => item));
    for (let kept = 1; kept < records.length; kept += 1) {
      const head = records.slice(0, kept).join('\n');
      const accepted = new Set([...head.matchAll(/\["s",(\d+),/g)].map(([, item]) => Number(item)));
      const proven = [...answered].some((item) => !accepted.has(item));
      if (!proven) continue;
      write(world, JOURNAL, `${head}\n`);
      write(world, OUT, results);
      const ran = await berthIn(world, RESUME);
      expect(ran.code, ran.err).toBe(14);
      expect(ran.err).toContain('the journal does not contain that job');
      expect([read(world, OUT), read(world, JOURNAL)]).toEqual([results, `${head}\n`]);
    }
    expect(world.submitted.length).toBe(submitted);
    write(world, JOURNAL, journal);
    const ran = await berthIn(world, [...RESUME, '--json']);
    expect(ran.code, ran.err).toBe(0);
    expect(new Set(world.submitted.map((input) => JSON.stringify(input))).size).toBe(world.submitted.length);
  });

  test('a resume notices that any record is missing from a journal, and sends nothing', async () => {
    const world = await createStoppedBatch();
    const [journal, results] = [read(world, JOURNAL), read(world, OUT)];
    const submitted = world.submitted.length;
    const lines = journal.split('\n').slice(0, -1);
    for (let missing = 1; missing < lines.length; missing += 1) {
      const left = `${lines.toSpliced(missing, 1).join('\n')}\n`;
      write(world, JOURNAL, left);
      const ran = await berthIn(world, RESUME);
      expect([ran.code, ran.err]).toEqual([14, expect.stringContaining(`the journal ${JOURNAL} is broken at byte`)]);
      expect([read(world, OUT), read(world, JOURNAL)]).toEqual([results, left]);
    }
    expect(world.submitted.length).toBe(submitted);
  });
});
