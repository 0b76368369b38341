import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import type { TestWorld } from '../../../../support/worlds/test-world.ts';
import {
  items,
  createBatchWorld,
  read,
  RESUME,
  RUN,
  summary,
  write,
} from '../../../../support/batch/command-fixture.ts';

const runTo = (out: string, ...more: readonly string[]): readonly string[] => [...RUN.slice(0, -1), out, ...more];

/** What lies in the createBatchWorld, by name and kind. */
const listing = ({ directory }: TestWorld): readonly string[] =>
  readdirSync(directory)
    .map((name) => `${name} ${(lstatSync(join(directory, name)).mode >> 12).toString(8)}`)
    .sort();

describe.each([[[]], [['--dry-run']]])('--out with %j', (more) => {
  test.each([
    ['pipe', 'no regular file', 14],
    ['folder', 'folder is a directory', 14],
    ['link', 'is a directory', 14],
    ['nodir/x.jsonl', 'nodir is not a directory', 14],
    ['gone', '/nowhere is not a directory', 14],
    ['in.jsonl/x', 'in.jsonl is not a directory', 14],
    ['-', 'results are written to a file', 2],
    ['new/', 'results are written to a file', 2],
    ['old.jsonl', 'old.jsonl exists already', 14],
    ['out.jsonl', 'out.jsonl.journal is not the journal of a batch', 14],
    ['sorted.jsonl', 'sorted.jsonl.ordered exists already', 14],
    ['other.jsonl.ordered', 'other.jsonl.ordered has a name that berth gives', 14],
  ])('%j is refused, and nothing is touched: %s', async (out, words, code) => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(1));
    for (const name of ['old.jsonl', 'out.jsonl.journal', 'sorted.jsonl.ordered']) write(world, name, 'mine');
    execFileSync('mkfifo', [join(world.directory, 'pipe')]);
    mkdirSync(join(world.directory, 'folder'));
    symlinkSync('folder', join(world.directory, 'link'));
    symlinkSync('/nowhere/x.jsonl', join(world.directory, 'gone'));
    const before = listing(world);
    const ran = await berthIn(world, runTo(out, ...more));
    expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(words)]);
    expect(listing(world)).toEqual(before);
  });
});

test.each([
  ['nothing', undefined],
  ['an empty file', ''],
])('a link to %s stays one: results go to where it leads, and resume and status follow it', async (_, content) => {
  const world = await createBatchWorld();
  mkdirSync(join(world.directory, 'far'));
  symlinkSync('far/real.jsonl', join(world.directory, 'out.jsonl'));
  if (content !== undefined) write(world, 'far/real.jsonl', content);
  write(world, 'in.jsonl', items(3));
  const ran = await berthIn(world, [...RUN, '--ordered', '--json']);
  expect(ran.code, ran.err).toBe(0);
  expect(readlinkSync(join(world.directory, 'out.jsonl'))).toBe('far/real.jsonl');
  expect(read(world, 'far/real.jsonl').trim().split('\n')).toHaveLength(3);
  expect(readdirSync(join(world.directory, 'far')).sort()).toEqual([
    'real.jsonl',
    'real.jsonl.journal',
    'real.jsonl.journal.end',
  ]);
  const status = await berthIn(world, ['jobs', 'batch', 'status', 'out.jsonl', '--json']);
  expect(summary(status)).toMatchObject({ completed: 3 });
  const again = await berthIn(world, [...RESUME, '--json']);
  expect(again.code, again.err).toBe(0);
  expect(readlinkSync(join(world.directory, 'out.jsonl'))).toBe('far/real.jsonl');
});
