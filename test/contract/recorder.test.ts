import { afterAll, describe, expect, it } from 'vitest';
import { commandsOf } from '../../src/cli/model/command.ts';
import { flagName } from '../../src/cli/model/params.ts';
import { FLAGS, NOUNS } from '../../src/registry.ts';
import { printedSchema } from '../../src/cli/model/output-schema.ts';
import { createAutoAdvancingClock } from '../support/clocks/auto-advancing-clock.ts';
import { expectDocuments } from '../support/schemas/check-run.ts';
import { berth } from '../support/worlds/run-berth.ts';
import { readContract, type Sent } from './support/contract.ts';
import { INVOCATIONS, type Invocation } from './support/invocations.ts';
import { record } from './support/recorder.ts';
import { sample } from './support/sample.ts';

const own = await readContract();

/** Every command of the program, by its words. */
const tree = new Map(
  (await commandsOf({ nouns: NOUNS, flags: FLAGS })).map(({ path, command }) => [path.join(' '), command]),
);
const recorder = await record(own);
afterAll(() => {
  recorder.close();
});

/** Commands, or whole groups, that send nothing to the management API by themselves. */
const SILENT: readonly string[] = [
  ...['auth logout', 'auth list', 'auth switch', 'config', 'local', 'completion', 'mcp', 'help', 'schema'],
  'version',
  // Read pods as `pods ssh` does, and need the programs of OpenSSH: end-to-end tests.
  ...['run', 'pods exec', 'pods cp', 'pods forward', 'pods connect', 'pods ssh-config'],
  // Use the interface of files and the queue API, and have their own tests.
  ...['files', 'jobs batch'],
];

/** The answers of the recorder have no further page, and secrets are looked up by `name` only after a lost answer. */
const UNSENT_PARAMETERS: readonly string[] = ['cursor', 'limit', 'name'];

/** Flags that do not change a request, or have their own tests: merged bodies, limits of a wait, an unchecked key. */
const UNSENT: readonly string[] = [
  ...['file', 'set', 'waitTimeout', 'explain', 'start', 'out', 'noCheck', 'storage', 'envFrom', 'match', 'status'],
  ...['olderThan', 'newerThan', 'all', 'sort', 'force', 'map', 'limit', 'paginate', 'contract', 'every', 'listen'],
  ...['until', 'search', 'regex', 'interval', 'idle'],
  // Of all that write, wait or watch.
  ...['dryRun', 'notify', 'watch'],
  // test/unit/commands/pods/capacity.test.ts
  ...['prefer', 'maxPrice', 'untilAvailable', 'startTimeout', 'idempotencyKey'],
];

/** The requests of a command to the management API. What it prints matches its schema, and it must end well, because a refused command proves nothing. */
async function requestsOf(words: string, { argv, answers, stdin, exit = 0 }: Invocation): Promise<readonly Sent[]> {
  recorder.take(answers);
  const ran = await berth(['--json', '--no-input', ...argv], {
    env: recorder.env,
    clock: createAutoAdvancingClock(),
    ...(stdin === undefined ? {} : { stdin }),
  });
  expect([argv.join(' '), ran.code, ran.err]).toEqual([argv.join(' '), exit, ran.err]);
  const command = tree.get(words);
  if (command !== undefined && printedSchema(command) !== undefined) expectDocuments(words, ran);
  return recorder.take();
}

const cases = Object.entries(INVOCATIONS).flatMap(([words, invocations]) =>
  invocations.map((invocation) => ({ words, line: invocation.argv.join(' '), invocation })),
);

/** All requests of all commands, for checks of the whole. */
const everything: Sent[] = [];

describe('the table of invocations', () => {
  it('has exactly the commands that use the management API', () => {
    const isSilent = (words: string): boolean => SILENT.some((word) => words === word || words.startsWith(`${word} `));
    const speaking = [...tree.keys()].filter((words) => !isSilent(words));
    expect(Object.keys(INVOCATIONS).toSorted()).toEqual(speaking.toSorted());
  });

  it.each(Object.entries(INVOCATIONS))('uses every flag of %s', (words, invocations) => {
    const given = new Set(invocations.flatMap(({ argv }) => argv));
    const options = Object.entries(tree.get(words)?.options ?? {});
    const missing = options.filter(
      ([key, { short, hidden }]) =>
        hidden !== true &&
        !UNSENT.includes(key) &&
        !given.has(flagName(key)) &&
        (short === undefined || !given.has(short)),
    );
    expect(missing.map(([key]) => flagName(key))).toEqual([]);
  });
});

describe('the minimal answers of the recorder', () => {
  it('match their schemas', () => {
    for (const { id, answer } of own.operations)
      if (answer.schema !== undefined && answer.type === 'application/json')
        expect([id, own.against(answer.schema, sample(own, answer.schema))]).toEqual([id, []]);
  });
});

describe('every request matches the contract, and every document its schema', () => {
  it.each(cases)('berth $line', async ({ words, invocation }) => {
    const sent = await requestsOf(words, invocation);
    everything.push(...sent);
    if (!/^(jobs|queue|health)/.test(words)) expect(sent).not.toEqual([]);
    for (const one of sent) expect(own.objections(one)).toEqual([]);
  });

  it('every operation is called by a command', () => {
    const called = new Set(everything.map((one) => own.operationOf(one)?.id));
    expect(new Set(own.operations.map(({ id }) => id).filter((id) => !called.has(id)))).toEqual(new Set());
  });

  it('every parameter of a query is sent by a command', () => {
    const sent = new Set(
      everything.flatMap((one) => [...one.query.keys()].map((name) => `${own.operationOf(one)?.id ?? ''} ${name}`)),
    );
    const published = own.operations.flatMap(({ id, parameters }) =>
      parameters.flatMap(({ in: place, name }) =>
        place === 'query' && !UNSENT_PARAMETERS.includes(name) ? [`${id} ${name}`] : [],
      ),
    );
    expect(published.filter((each) => !sent.has(each))).toEqual([]);
  });
});
