import { existsSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { countSubmissions } from '../../../../support/batch/check-journal.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import {
  items,
  local,
  OUT,
  createBatchWorld,
  RESUME,
  RUN,
  summary,
  write,
  findMismatches,
} from '../../../../support/batch/command-fixture.ts';

const ITEMS = 40;
const SUBMIT = ['--match', 'POST /v2/echo/run'];
const LOOK = ['--match', 'GET /v2/echo/status'];

/** Faults as a user sets them, how many submissions they leave unknown, and how often the service took each of those. */
const FAULTS: readonly (readonly [string, readonly (readonly string[])[], number, number])[] = [
  [
    'a storm of 429',
    [['rate-limit', '--match', '/v2/echo', '--probability', '0.5', '--count', '60', '--retry-after', '2s']],
    0,
    0,
  ],
  [
    '5xx',
    [
      ['server-error', '--count', '4', ...SUBMIT],
      ['server-error', '--count', '9', '--status', '500', ...LOOK],
    ],
    4,
    0,
  ],
  ['latency', [['latency', '--latency', '5s', '--probability', '0.5', '--count', '60']], 0, 0],
  [
    'resets before the request is taken',
    [
      ['drop', '--count', '5', ...SUBMIT],
      ['drop', '--count', '9', ...LOOK],
    ],
    5,
    0,
  ],
  [
    'resets after it was taken',
    [
      ['accept-drop', '--count', '5', ...SUBMIT],
      ['accept-drop', '--count', '9', ...LOOK],
    ],
    5,
    1,
  ],
  [
    'all of them at once',
    [
      ['rate-limit', '--match', '/v2/echo', '--probability', '0.2', '--count', '20'],
      ['latency', '--latency', '2s', '--probability', '0.3', '--count', '30'],
      ['server-error', '--count', '3', ...SUBMIT],
      ['server-error', '--probability', '0.3', '--count', '9', ...LOOK],
      ['drop', '--probability', '0.3', '--count', '9', ...LOOK],
    ],
    3,
    0,
  ],
];

describe.each(FAULTS)('a batch through %s', (_, faults, unknown, takenEach) => {
  test('records for every item what the service has, and sends none twice unasked', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(ITEMS));
    for (const fault of faults) await local(world, 'fault', 'add', ...fault);

    const ran = await berthIn(world, [...RUN, '--json']);
    expect(ran.code, ran.err).toBe(unknown === 0 ? 0 : 13);
    expect(summary(ran)).toMatchObject({ completed: ITEMS - unknown, unknown });
    expect(await findMismatches(world, ITEMS)).toEqual([]);
    const lost = summary(ran)['unknownItems'] as readonly number[];
    const taken = await countSubmissions(world.store);
    expect(lost.map((item) => taken.get(item) ?? 0)).toEqual(lost.map(() => takenEach));

    await local(world, 'fault', 'clear');
    const again = await berthIn(world, [...RESUME, '--json']);
    expect(summary(again)).toMatchObject({ completed: ITEMS - unknown, unknownItems: lost });
    expect(await countSubmissions(world.store)).toEqual(taken);

    const asked = await berthIn(world, [...RESUME, '--resubmit', 'unknown', '--json']);
    expect([asked.code, summary(asked)]).toEqual([0, expect.objectContaining({ completed: ITEMS, unknown: 0 })]);
    expect(await findMismatches(world, ITEMS, { twice: new Set(takenEach === 0 ? [] : lost) })).toEqual([]);
  });
});

test('a link that comes in the place of the results ends the batch with 14, and it stays', async () => {
  const world = await createBatchWorld();
  const results = join(world.directory, OUT);
  const stdin = new PassThrough();
  const running = berthIn({ ...world, stdin }, [...RUN.slice(0, 5), '-', ...RUN.slice(6)]);
  // It comes while the input is read, when nobody looks any more.
  while (!existsSync(`${results}.journal.input`)) await new Promise(setImmediate);
  symlinkSync('/dev/full', results);
  stdin.end(items(ITEMS));
  const ran = await running;
  expect([ran.code, ran.err]).toEqual([14, expect.stringContaining(`${OUT}: it is a link`)]);
  expect(readlinkSync(results)).toBe('/dev/full');
});
