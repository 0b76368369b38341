import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { beginBatch, type OpenBatch } from '../../../src/batch/batch.ts';
import { copyPath, inputPlaces, newCopyPath } from '../../../src/batch/input-place.ts';
import { journalPath } from '../../../src/batch/journal.ts';
import type { BatchHeader } from '../../../src/batch/record.ts';
import { writeWhole } from '../../../src/batch/whole-file.ts';
import type { DurableFiles } from '../../../src/core/context.ts';
import { berthIn } from '../../support/cli.ts';
import { items, place, read, RESUME, summary, write } from './front-door.ts';
import { afterKill, afterPowerCut, memoryFiles, mortal } from './memory-files.ts';

const PIPED = ['jobs', 'batch', 'run', 'echo', '--input', '-', '--out', 'out.jsonl', '--json'];

describe('what is piped in', () => {
  test.each([
    ['is good', items(2)],
    ['cannot be sent', 'nope\n'],
  ])('and %s never takes the place of a file of the name its copy would have', async (_, stdin) => {
    const world = await place({ stdin });
    write(world, 'out.jsonl.input', 'mine');
    for (const more of [['--dry-run'], []]) {
      const ran = await berthIn(world, [...PIPED, ...more]);
      expect([ran.code, ran.err]).toEqual([14, expect.stringContaining('out.jsonl.input exists already')]);
      expect(read(world, 'out.jsonl.input')).toBe('mine');
    }
    expect(existsSync(join(world.directory, 'out.jsonl'))).toBe(false);
  });

  test('leaves no copy where it cannot be sent', async () => {
    const world = await place({ stdin: 'nope\n' });
    const ran = await berthIn(world, PIPED);
    expect(ran.code).toBe(2);
    for (const name of ['out.jsonl', 'out.jsonl.input', 'out.jsonl.input.new'])
      expect(existsSync(join(world.directory, name)), name).toBe(false);
  });

  test('is found where the process ended before the copy had its name', async () => {
    const world = await place({ stdin: items(3) });
    await berthIn(world, PIPED);
    const at = (name: string): string => join(world.directory, name);
    renameSync(at('out.jsonl.input'), at('out.jsonl.input.new'));
    const [header] = read(world, 'out.jsonl.journal').split('\n');
    write(world, 'out.jsonl.journal', `${header ?? ''}\n`);
    write(world, 'out.jsonl', '');
    const ran = await berthIn(world, [...RESUME, '--json']);
    expect(ran.code, ran.err).toBe(0);
    expect(summary(ran)).toMatchObject({ planned: 3, completed: 3 });
  });
});

test('a CSV file with bytes that are no text, or rows of another length: refused by line, or left out', async () => {
  const world = await place();
  const content = Buffer.concat([Buffer.from('a,b\n1,2\nx,'), Buffer.of(0xe9), Buffer.from('\n3\n4,5\n')]);
  writeFileSync(join(world.directory, 'in.csv'), content);
  const argv = ['jobs', 'batch', 'run', 'echo', '--input', 'in.csv', '--out', 'out.jsonl', '--json'];
  const ran = await berthIn(world, argv);
  expect(ran.code).toBe(2);
  expect(ran.err).toContain('2 items cannot be sent; nothing was sent. in.csv, line 3: column');
  expect(ran.err).toContain('it is not UTF-8 text');
  expect(ran.err).toContain('in.csv, line 4: it has 1 field');
  expect(existsSync(join(world.directory, 'out.jsonl'))).toBe(false);
  const rest = await berthIn(world, [...argv, '--skip-invalid']);
  expect(rest.code, rest.err).toBe(0);
  expect(summary(rest)).toMatchObject({ planned: 2, completed: 2, invalid: 2 });
  expect(read(world, 'out.jsonl')).not.toContain('\uFFFD');
});

describe('a copy of the input', () => {
  const header: BatchHeader = {
    version: 1,
    endpoint: 'echo',
    endpointId: 'echo',
    service: 'here',
    input: { path: copyPath('r'), format: 'jsonl', bytes: 8, sha256: '' },
    extras: '',
    planned: 1,
    invalid: 0,
    ordered: false,
    createdAt: 0,
  };
  const begin = (durable: DurableFiles): Promise<OpenBatch> =>
    beginBatch(
      durable,
      'r',
      async () => {
        await writeWhole(durable, newCopyPath('r'), [Buffer.from(items(1))]);
        return header;
      },
      true,
    );

  test.each([
    ['killed', afterKill],
    ['without power', afterPowerCut],
  ])('is there with its journal, wherever the process that makes both is %s', async (_, after) => {
    const seen = { journal: 0, none: 0 };
    for (let killedAt = 1, alive = false; !alive; killedAt++) {
      const files = memoryFiles();
      const hand = mortal(files, killedAt);
      await begin(hand).catch(() => undefined);
      alive = hand.alive();
      const left = after(files);
      const begun = left.files.has(journalPath('r'));
      seen[begun ? 'journal' : 'none'] += 1;
      expect(left.files.has(copyPath('r')) && !begun, hand.done.at(-1)).toBe(false);
      if (!begun) await begin(left);
      const places = inputPlaces('r', header.input).map((path) => left.text(path));
      expect(
        places.find((text) => text !== ''),
        hand.done.at(-1),
      ).toBe(items(1));
    }
    expect(seen).toEqual({ journal: 2, none: 11 });
  });

  test.each([newCopyPath('r'), `${journalPath('r')}.new`])('does not stay where the disk is full at %s', async (at) => {
    const files = memoryFiles();
    files.disk = (path, bytes) => (path === at ? { takes: 3, error: 'ENOSPC' } : { takes: bytes });
    await expect(begin(files)).rejects.toMatchObject({ exit: 14 });
    expect([...files.files.keys()].filter((path) => path !== 'r')).toEqual([]);
  });
});
