import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nextState, type ItemEvent, type ItemState } from '../../../src/batch/model/item-states.ts';
import { read, RUN, OUT, write } from '../../support/batch/command-fixture.ts';
import { createTinyQueueWorld } from '../../support/batch/tiny-queue-server.ts';
import { berthIn } from '../../support/worlds/run-berth.ts';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/life-of-a-batch-item.md'), 'utf8').replaceAll(/\s+/g, ' ');
/** The files of the page, each with the functions that are named after it. */
const stations = [...page.matchAll(/`([\w./-]+\.ts)`((?:: `\w+`)?(?:, `\w+`)*)/g)].map(([, file = '', names = '']) => ({
  file,
  names: [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
}));

test('each file that the page names is there and exports the functions that are named with it', () => {
  expect(stations.length).toBeGreaterThan(15);
  const missing = stations.flatMap(({ file, names }) => {
    const path = join(root, 'src/batch', file);
    if (!existsSync(path)) return [file];
    const code = readFileSync(path, 'utf8');
    return names
      .filter((name) => !new RegExp(`^export (?:async )?(?:function\\*? |const )${name}\\b`, 'm').test(code))
      .map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});

/** The kinds of the records of item 1, in their order; the header is `berth batch`. */
const recordsIn = (journal: string): readonly unknown[] =>
  journal
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line.replace(/^\S+ \S+ /, '')) as readonly unknown[])
    .filter(([kind, item]) => kind === 'berth batch' || item === 1)
    .map(([kind]) => kind);

test('an item passes the stations in their order: each is on disk before the next begins', async () => {
  const world = await createTinyQueueWorld();
  write(world, 'in.jsonl', '{"n":1}\n');
  const seen: Record<string, unknown> = {};
  world.before = (operation) => {
    const path = join(world.directory, `${OUT}.journal`);
    seen[operation] ??= { journal: recordsIn(readFileSync(path, 'utf8')), results: read(world, OUT) };
  };
  const ran = await berthIn(world, [...RUN, '--ordered']);
  expect(ran.code, ran.err).toBe(0);
  expect(seen).toEqual({
    // Stored and about to be sent; then sent.
    run: { journal: ['berth batch', 'i'], results: '' },
    // Recorded as a job; then polled.
    status: { journal: ['berth batch', 'i', 's'], results: '' },
  });
  // Kept as a result; then recorded as ended.
  const [sent, ended] = [{ kind: 'send' }, { kind: 'end', ending: 'completed' }] as const;
  expect(recordsIn(read(world, `${OUT}.journal`))).toEqual(['berth batch', 'i', 's', 'e']);
  expect(JSON.parse(read(world, OUT))).toMatchObject({ item: 1, job: 'job-1', status: 'COMPLETED', output: { n: 1 } });
  const events: readonly ItemEvent[] = [sent, { kind: 'accept', job: 'job-1' }, ended];
  const states = events.reduce<readonly (ItemState | undefined)[]>(
    (before, event) => [...before, nextState(before.at(-1) ?? 'waiting', event)],
    [],
  );
  expect(states).toEqual(['sending', 'submitted', 'completed']);
  const exported = await berthIn(world, ['jobs', 'batch', 'export', OUT, '--join-input', '--format', 'jsonl']);
  expect(JSON.parse(exported.out)).toMatchObject({ item: 1, input: { n: 1 }, output: { n: 1 } });
});
