import { appendFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  checksumOfRecord,
  decodeRecord,
  encodeRecord,
  type JournalRecord,
} from '../../../../../src/batch/stores/file/journal/record.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { items, OUT, read, RESUME, RUN, summary, write } from '../../../../support/batch/command-fixture.ts';
import { FAST, createTinyQueueWorld, type TinyQueueWorld } from '../../../../support/batch/tiny-queue-server.ts';

const JOURNAL = `${OUT}.journal`;
const COUNT = 2000;
/** Lines of 2 KB: data than one block of the input is still unread when the first jobs go out. */
const long = (sign = 'a'): string =>
  Array.from({ length: COUNT }, (_, at) => `{"n":${String(at + 1)},"pad":"${sign.repeat(2000)}"}\n`).join('');

interface Line {
  readonly item: number;
  readonly output: { readonly n: number; readonly pad: string };
}
const resultsOf = (world: TinyQueueWorld): readonly Line[] =>
  read(world, OUT)
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

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

describe('an input that changes while its batch runs', () => {
  const edits: readonly (readonly [string, (path: string) => void])[] = [
    [
      'edited in world',
      (path) => {
        writeFileSync(path, long('b'));
      },
    ],
    [
      'reversed',
      (path) => {
        writeFileSync(path, `${readFileSync(path, 'utf8').trim().split('\n').reverse().join('\n')}\n`);
      },
    ],
    [
      'appended to',
      (path) => {
        appendFileSync(path, items(50));
      },
    ],
    [
      'cut',
      (path) => {
        truncateSync(path, 3_000_000);
      },
    ],
    [
      'emptied',
      (path) => {
        truncateSync(path, 0);
      },
    ],
  ];
  test.each(edits)('%s: none of the new content is sent, and the batch stops with counts', async (_, edit) => {
    const world = await createTinyQueueWorld();
    write(world, 'in.jsonl', long());
    world.before = (operation, nth) => {
      if (operation === 'run' && nth === 10) edit(join(world.directory, 'in.jsonl'));
    };
    const ran = await berthIn(world, [...RUN, ...FAST, '--in-flight', '32', '--json']);
    stopsWithCounts(ran, 'the input in.jsonl was changed after it was checked');
    const results = resultsOf(world);
    expect(results.length).toBeGreaterThan(9);
    // What was sent is fetched, and it is what was checked.
    expect(summary(ran)).toMatchObject({ completed: results.length, inFlight: 0 });
    for (const { item, output } of results) expect(output).toEqual({ n: item, pad: 'a'.repeat(2000) });

    const resumed = await berthIn(world, RESUME);
    expect(resumed.code).toBe(2);
    expect(world.submitted.length).toBe(results.length);
    write(world, 'in.jsonl', long());
    const rest = await berthIn(world, [...RESUME, ...FAST, '--json']);
    expect(rest.code, rest.err).toBe(0);
    expect(world.submitted.length).toBe(COUNT);
  });
});

describe('files of a batch that are changed while it runs', () => {
  const changes: readonly (readonly [string, string, (at: (name: string) => string) => void])[] = [
    [
      'the results are deleted',
      'out.jsonl was removed',
      (at) => {
        rmSync(at(OUT));
      },
    ],
    [
      'the journal is deleted',
      `${JOURNAL} was removed`,
      (at) => {
        rmSync(at(JOURNAL));
      },
    ],
    [
      'both are deleted',
      'was removed',
      (at) => {
        rmSync(at(OUT));
        rmSync(at(JOURNAL));
      },
    ],
    [
      'the results are replaced',
      'out.jsonl was replaced',
      (at) => {
        writeFileSync(at('new'), 'x');
        renameSync(at('new'), at(OUT));
      },
    ],
    [
      'the journal is replaced',
      `${JOURNAL} was replaced`,
      (at) => {
        writeFileSync(at('new'), 'x');
        renameSync(at('new'), at(JOURNAL));
      },
    ],
    [
      'the results are cut',
      'out.jsonl was changed',
      (at) => {
        truncateSync(at(OUT), 0);
      },
    ],
    [
      'the journal is appended to',
      `${JOURNAL} was changed`,
      (at) => {
        appendFileSync(at(JOURNAL), 'x');
      },
    ],
    [
      'a byte of the results is flipped',
      'out.jsonl was changed',
      (at) => {
        writeFileSync(at(OUT), readFileSync(at(OUT), 'utf8').replace('"n":1', '"n":7'), { flag: 'r+' });
      },
    ],
  ];
  test.each(
    changes.flatMap(([name, ...change]) => [
      [name, [], ...change] as const,
      [`${name}, ordered`, ['--ordered'], ...change] as const,
    ]),
  )('%s: the batch stops with 14 and counts', async (_, flags, message, change) => {
    const world = await createTinyQueueWorld();
    write(world, 'in.jsonl', items(300));
    world.before = (operation, nth) => {
      if (operation === 'status' && nth === 60) change((name) => join(world.directory, name));
    };
    const ran = await berthIn(world, [...RUN, ...FAST, ...flags, '--in-flight', '16', '--json']);
    stopsWithCounts(ran, message);
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

/** The records of a journal, in their order. */
function recordsOf(world: TinyQueueWorld): readonly JournalRecord[] {
  let seed = 0;
  return read(world, JOURNAL)
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const record = decodeRecord(Buffer.from(line), seed);
      if (record === undefined) throw new Error(`not a record: ${line}`);
      seed = checksumOfRecord(line);
      return record;
    });
}

/** A batch of 20 that was interrupted: some have ended. */
async function stopped(): Promise<TinyQueueWorld> {
  const world = await createTinyQueueWorld();
  write(world, 'in.jsonl', items(20));
  world.before = (operation, nth) => {
    if (operation === 'status' && nth === 8) world.signal('SIGINT');
  };
  await berthIn(world, [...RUN, '--in-flight', '4']);
  world.before = () => undefined;
  expect(resultsOf(world).length).toBeGreaterThan(3);
  return world;
}

describe('files of a batch that are changed between two runs', () => {
  const edits: readonly (readonly [string, (text: string) => string])[] = [
    ['a byte is flipped', (text) => text.replace('"n":1', '"n":9')],
    ['line ends are CRLF', (text) => text.replaceAll('\n', '\r\n')],
    ['two lines are swapped', (text) => text.replace(/^(.*\n)(.*\n)/, '$2$1')],
  ];
  test.each(edits)('a resume detects results in which %s before it appends', async (_, edit) => {
    const world = await stopped();
    const edited = edit(read(world, OUT));
    write(world, OUT, edited);
    const [journal, sent] = [read(world, JOURNAL), world.submitted.length];
    const ran = await berthIn(world, RESUME);
    expect(ran.code, ran.err).toBe(14);
    expect(ran.err).toContain('was changed since it was written');
    expect([read(world, OUT), read(world, JOURNAL), world.submitted.length]).toEqual([edited, journal, sent]);
  });

  test('after a journal was cut at any record, nothing is resent that the results prove was sent', async () => {
    const world = await stopped();
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

  test('a resume notices that any record but the last is missing from a journal, and sends nothing', async () => {
    const world = await stopped();
    const [journal, results] = [read(world, JOURNAL), read(world, OUT)];
    const submitted = world.submitted.length;
    const lines = journal.split('\n').slice(0, -1);
    for (let missing = 1; missing < lines.length - 1; missing += 1) {
      const left = `${lines.toSpliced(missing, 1).join('\n')}\n`;
      write(world, JOURNAL, left);
      const ran = await berthIn(world, RESUME);
      expect([ran.code, ran.err]).toEqual([14, expect.stringContaining(`the journal ${JOURNAL} is broken at byte`)]);
      expect([read(world, OUT), read(world, JOURNAL)]).toEqual([results, left]);
    }
    expect(world.submitted.length).toBe(submitted);
  });

  test('a batch with a journal without checksums, from an earlier version, resumes', async () => {
    const world = await stopped();
    const old = recordsOf(world).map((record) => {
      if (record.kind === 'header') return encodeRecord({ ...record, header: { ...record.header, version: 1 } });
      if (record.kind !== 'event') return encodeRecord(record);
      return encodeRecord({ ...record, data: { ...record.data, checksum: undefined } });
    });
    expect(old.join('').length).toBeLessThan(read(world, JOURNAL).length);
    write(world, JOURNAL, old.join(''));
    const ran = await berthIn(world, [...RESUME, '--json']);
    expect(ran.code, ran.err).toBe(0);
    expect(summary(ran)).toMatchObject({ completed: 20 });
  });
});
