import { describe, expect, it } from 'vitest';
import { EXPIRED_KEY, JOBS_ONLY_KEY } from '../../src/local/http/admission.ts';
import { createState, type State } from '../../src/local/state/state.ts';
import { memoryStore } from '../../src/local/state/store.ts';
import { createTestClock } from '../support/clocks/test-clock.ts';
import { localFixture, type Answer } from '../support/local/service-fixture.ts';
import { ask, prepare, type Case } from './cases/case.ts';
import { CASES } from './cases/index.ts';
import { readPublished } from './support/published.ts';

const { operations, objections } = await readPublished();

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
  const isRefused = one.status >= 400;
  if (isRefused) for (const path of SEEDING) await send('GET', path);
  await prepare(send, one);
  const before = isRefused ? structuredClone(shown(state)) : undefined;
  const answer = await ask(send, one);
  if (isRefused) expect(shown(state)).toEqual(before);
  return answer;
}

describe('every answer matches the published document', () => {
  it.each(CASES)('$id $request $status', async (one) => {
    const answer = await answerTo(one);
    expect([answer.status, answer.text]).toEqual([one.status, answer.text]);
    expect(objections(one.id, answer)).toBeUndefined();
    // A body that is too large is refused before the key is read (additions 3).
    const hasRates = one.status !== 413;
    expect([answer.headers.has('ratelimit'), answer.headers.has('ratelimit-policy')]).toEqual([hasRates, hasRates]);
  });

  it.each([...operations.keys()])('%s: 401, 403 and 429 too', async (id) => {
    const one = CASES.find((known) => known.id === id);
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
    for (const answer of answers) expect(objections(id, answer)).toBeUndefined();
  });

  it('there is a case for every status that the contract has for an implemented operation', () => {
    const uncovered = [...operations].flatMap(([id, responses]) =>
      Object.keys(responses)
        .filter((status) => !['401', '403', '429', 'default'].includes(status))
        .filter((status) => !CASES.some((one) => one.id === id && String(one.status) === status))
        .map((status) => `${id} ${status}`),
    );
    expect(uncovered).toEqual([]);
  });
});
