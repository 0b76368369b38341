import { afterAll, expect, test } from 'vitest';
import { untilRead } from '../support/clocks/deadline-clock.ts';
import { berth } from '../support/worlds/run-berth.ts';
import { readContract } from './support/contract.ts';
import { INVOCATIONS } from './support/invocations.ts';
import { record } from './support/recorder.ts';

// Every command that reads a list, of whatever kind, against lists whose pages are broken (additions 1). The commands are
// those of `INVOCATIONS`, which has all that send requests.

const LISTS = [
  ...[
    'pods',
    'endpoints',
    'templates',
    'networkVolumes',
    'registries',
    'delegations',
    'clusters',
    'workers',
    'secrets',
    'tags',
    'globalVolumes',
  ],
  ...['releases', 'builds', 'gpus', 'cpus', 'dataCenters', 'records', 'keys'],
];

/** What the first page says of the next one. */
const FAULTS: readonly (readonly [string, object])[] = [
  ['another page without a cursor', { hasNextPage: true, nextCursor: null }],
  ['a cursor that comes again', { hasNextPage: true, nextCursor: 'c' }],
  ['no word on further pages', { nextCursor: 'c' }],
];

/** Commands that decide nothing by the lists that they read, and what they read them for. They go on without them. */
const GO_ON: Readonly<Record<string, string>> = {
  'pods create': 'the price in the question',
  'endpoints create': 'the price in the question, and how far the first release is',
  'endpoints update': 'how far the new release is',
  'endpoints explain': 'further facts: it says which ones are unknown',
  metrics: 'the metrics of that list, which are left out',
  'auth login': 'whether the key is accepted',
  'auth status': 'whether the key is accepted',
  doctor: 'whether the key is accepted',
  api: 'the answer as it came',
  limits: 'the headers of the answer',
};

let pagination: object = {};
let lists = 0;
const recorder = await record(await readContract(), (value) => {
  const isList =
    typeof value === 'object' &&
    value !== null &&
    !('id' in value) &&
    LISTS.some((name) => Array.isArray((value as Record<string, unknown>)[name]));
  if (!isList) return value;
  lists++;
  return { ...value, pagination };
});
afterAll(() => {
  recorder.close();
});

/** A command that fails leaves its other reads on their way: they must not be taken for those of the next one. */
async function untilNoneArrives(): Promise<void> {
  do await untilRead();
  while (recorder.take().length > 0);
}

const READ_LISTS = Object.entries(INVOCATIONS).filter(([words]) => / list$/.test(words));
for (const [at, [fault, said]] of FAULTS.entries())
  test.each(at === 0 ? Object.entries(INVOCATIONS) : READ_LISTS)(`${fault}: %s`, async (words, invocations) => {
    const [{ argv, answers, stdin } = { argv: [] }] = invocations;
    pagination = said;
    lists = 0;
    recorder.take(answers);
    const ran = await berth([...argv, '--no-input', '--json'], {
      env: recorder.env,
      ...(stdin === undefined ? {} : { stdin }),
    });
    const sent = recorder.take();
    const read = lists;
    if (ran.code !== 0) await untilNoneArrives();
    if (/ list$|^billing |^catalog /.test(words)) expect(read).toBeGreaterThan(0);
    if (words in GO_ON) {
      expect(read).toBeGreaterThan(0);
      expect([0, 7]).toContain(ran.code);
      return;
    }
    if (read === 0) return;
    const first = sent.findIndex(({ method }) => method === 'GET');
    const writes = sent.slice(first).filter(({ method }) => method !== 'GET');
    const isIncomplete = ran.err.includes('incomplete');
    expect([words, ran.code, ran.out, isIncomplete, writes.length], ran.err).toEqual([words, 7, '', true, 0]);
  });
