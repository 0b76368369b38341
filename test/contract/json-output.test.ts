import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { commandsOf } from '../../src/cli/model/command.ts';
import { printedSchema } from '../../src/cli/model/output-schema.ts';
import { FLAGS, NOUNS } from '../../src/registry.ts';
import { createAutoAdvancingClock } from '../support/clocks/auto-advancing-clock.ts';
import { expectDocuments, expectErrorSchema } from '../support/schemas/check-run.ts';
import { hangUp, pointedAt, problem, serve, type Behaviour } from '../support/servers/scripted-server.ts';
import { berth, berthIn, type Ran } from '../support/worlds/run-berth.ts';
import { createTestWorld } from '../support/worlds/test-world.ts';
import { readContract } from './support/contract.ts';
import { INVOCATIONS } from './support/invocations.ts';
import { JOBS, OWN_DOCUMENTS } from './support/own-documents.ts';
import { record, type Recorder } from './support/recorder.ts';

// What every command prints with --json, full, empty and failing, against its published schema; recorder.test.ts has the
// least that an answer holds. `berthIn` checks that
// the exit code of each run is one that the command declares.

const contract = await readContract();
const commands = (await commandsOf({ nouns: NOUNS, flags: FLAGS })).map(({ path, command }) => ({
  words: path.join(' '),
  hasJson: printedSchema(command) !== undefined,
}));

/** An answer with empty lists. */
const emptied = (value: unknown): unknown =>
  Object.fromEntries(Object.entries(value as object).map(([key, each]) => [key, Array.isArray(each) ? [] : each]));

const EMPTY = 'answers with empty lists';
const recorders = {
  'all that an answer can have': await record(contract, undefined, undefined, 'all'),
  [EMPTY]: await record(contract, emptied),
};
afterAll(() => {
  for (const recorder of Object.values(recorders)) recorder.close();
});

const described = commands.filter(({ hasJson }) => hasJson).map(({ words }) => words);
/** One call of each command. */
const firstCalls = described.flatMap((words) =>
  (INVOCATIONS[words] ?? []).slice(0, 1).map((call) => ({ words, call })),
);

/** They need OpenSSH: their own tests check what they print. */
const ELSEWHERE = ['run', 'pods exec', 'pods cp', 'pods forward'];

describe('the table', () => {
  test('every command that prints JSON is in it', () => {
    const isIn = (words: string): boolean =>
      words in INVOCATIONS || words in OWN_DOCUMENTS || ELSEWHERE.includes(words);
    expect(described.filter((words) => !isIn(words))).toEqual([]);
  });
});

/** The calls of a kind: only a command that reads lists prints something else for empty ones. */
const callsOf = (kind: string) =>
  kind === EMPTY ? firstCalls.filter(({ words }) => / list$|^(billing|catalog|files) /.test(words)) : firstCalls;

describe.each(Object.entries(recorders))('%s', (kind, recorder: Recorder) => {
  test.each(callsOf(kind))('$words: $call.argv', async ({ words, call: { argv, answers, stdin } }) => {
    recorder.take(answers);
    const ran = await berth(['--json', '--no-input', ...argv], {
      env: recorder.env,
      clock: createAutoAdvancingClock(),
      ...(stdin === undefined ? {} : { stdin }),
    });
    expectDocuments(words, ran);
  });
});

/** A service that finds nothing, and one that hangs up, for every second command. */
const FAILURES: readonly Behaviour[] = [problem(404, 'there is no such thing'), hangUp];
const failing = firstCalls.flatMap((call, at) =>
  FAILURES.slice(at % 2)
    .slice(0, 1)
    .map((fault) => ({ ...call, fault })),
);

describe('a service that fails', () => {
  test.each(failing)('$words', async ({ words, call: { argv, stdin }, fault }) => {
    const server = await serve([fault]);
    const ran = await berth(['--json', '--no-input', ...argv], {
      env: pointedAt(server.url),
      clock: createAutoAdvancingClock(),
      ...(stdin === undefined ? {} : { stdin }),
    });
    expectDocuments(words, ran);
  });
});

const own = [...Object.entries(OWN_DOCUMENTS), ...Object.entries(JOBS)];

/** Runs lines in a new world, the last one with --json. */
async function runLines(lines: readonly string[]): Promise<Ran | undefined> {
  const world = createTestWorld({ clock: createAutoAdvancingClock(), env: { BERTH_LOCAL: '1' }, stdin: 'a-key\n' });
  writeFileSync(join(world.directory, 'items.jsonl'), '{"n":1}\n{"n":2}\n');
  mkdirSync(join(world.directory, 'folder'));
  writeFileSync(join(world.directory, 'folder/file'), 'content');
  let ran: Ran | undefined;
  for (const [at, line] of lines.entries())
    ran = await berthIn(world, [...(at === lines.length - 1 ? ['--json'] : []), '--no-input', ...line.split(' ')]);
  return ran;
}

describe('documents of berth, and those of the queue', () => {
  test.each(own)('%s: full, empty and failing', async (words, { full, empty, failing }) => {
    for (const lines of [full ?? [], empty ?? []]) {
      const ran = await runLines(lines);
      if (ran === undefined) continue;
      expect([ran.code, ran.err]).toEqual([0, ran.err]);
      expectDocuments(words, ran);
    }
    const failed = await runLines(failing);
    if (failed === undefined) return;
    expect(failed.code).not.toBe(0);
    expectDocuments(words, failed);
  });
});

test.each(['limits', 'pods get', 'jobs batch run'])('%s: an error of usage is an error as JSON', async (words) => {
  const ran = await berth(['--json', ...words.split(' '), '--no-such-flag']);
  expect([ran.code, ran.out, expectErrorSchema(ran)]).toEqual([2, '', true]);
});
