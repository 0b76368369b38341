import { describe, expect, it } from 'vitest';
import { EXPIRED_KEY, JOBS_ONLY_KEY } from '../../src/local/http/admission.ts';
import { createState, type State } from '../../src/local/state/state.ts';
import { memoryStore } from '../../src/local/state/store.ts';
import { createTestClock } from '../support/clocks/test-clock.ts';
import { localFixture, type Answer } from '../support/local/service-fixture.ts';
import { readContract } from './support/contract.ts';
import { CASES, type Case } from './support/local-cases.ts';

const contract = await readContract();
const ids = contract.operations.map(({ id }) => id);

const words = (request: string): readonly [method: string, path: string] => {
  const [method = '', path = ''] = request.split(' ');
  return [method, path];
};

function operationOf([, request]: Case) {
  const [method, path] = words(request);
  const operation = contract.operationOf({ method, path: path.split('?')[0] ?? '' });
  if (operation === undefined) throw new Error(`no operation is ${request}`);
  return operation;
}

type Send = ReturnType<typeof localFixture>['send'];

/** Sends the request that a case needs before it. */
async function prepare(send: Send, [, , , before]: Case): Promise<void> {
  if (before !== undefined) await send(...words(before[0]), before[1]);
}

/** With a key of null no key is sent. */
const ask = (send: Send, [, request, body]: Case, key?: string | null): Promise<Answer> =>
  send(...words(request), body, key);

/** What a refused request may not change: all but the times, the rates and the queue. */
const shown = (state: State): unknown => ({
  ...state,
  asOf: 0,
  processedTo: 0,
  quietUntil: 0,
  windows: undefined,
  parts: { ...state.parts, queue: undefined },
});

/** These requests use every part of the state, so that a refused request does not seed one. */
const SEEDING = [
  '/local/status',
  '/v2/billing',
  '/v2/account/ssh-keys',
  '/v2/account/secrets',
  '/v2/serverless/echo/builds',
  '/v2/tags',
  '/v2/global-volumes',
];

/** The answer to a case. One that is refused changes nothing. */
async function answerTo(one: Case): Promise<Answer> {
  const clock = createTestClock();
  const state = createState(clock.now());
  const { send } = localFixture({ clock, store: memoryStore(state) });
  const isRefused = one[0] >= 400;
  if (isRefused) for (const path of SEEDING) await send('GET', path);
  await prepare(send, one);
  const before = isRefused ? structuredClone(shown(state)) : undefined;
  const answer = await ask(send, one);
  if (isRefused) expect(shown(state)).toEqual(before);
  return answer;
}

describe('every answer matches the published document', () => {
  it.each(CASES.map((one) => [one[0], one[1], one] as const))('%i to %s', async (status, _, one) => {
    const answer = await answerTo(one);
    expect([answer.status, answer.text]).toEqual([status, answer.text]);
    expect(contract.answerObjections(operationOf(one), answer)).toEqual([]);
    // A body that is too large is refused before the key is read (additions 3).
    const hasRates = status !== 413;
    expect([answer.headers.has('ratelimit'), answer.headers.has('ratelimit-policy')]).toEqual([hasRates, hasRates]);
  });

  it.each(ids)('%s: 401, 403 and 429 too', async (id) => {
    const one = CASES.find((known) => operationOf(known).id === id);
    if (one === undefined) throw new Error(`no case for ${id}`);
    const { send } = localFixture();
    await prepare(send, one);
    const limited = localFixture({ quota: { minute: 0 } });
    const answers = [
      await ask(send, one, null),
      await ask(send, one, EXPIRED_KEY),
      await ask(send, one, JOBS_ONLY_KEY),
      await ask(limited.send, one),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 403, 429]);
    for (const answer of answers) expect(contract.answerObjections(operationOf(one), answer)).toEqual([]);
  });

  it('there is a case for every status that the contract has for an implemented operation', () => {
    const covered = new Set(CASES.map((one) => `${operationOf(one).id} ${String(one[0])}`));
    const uncovered = contract.operations.flatMap(({ id, responses }) =>
      Object.keys(responses)
        .filter((status) => !['401', '403', '429', 'default'].includes(status))
        .map((status) => `${id} ${status}`),
    );
    expect(uncovered.filter((each) => !covered.has(each))).toEqual([]);
  });
});
