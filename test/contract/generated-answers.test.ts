import { expect, test } from 'vitest';
import { DELETIONS, PLAN, type Choices, type PlannedRequest } from '../support/schemas/answer-plan.ts';
import { objectionsTo } from '../support/schemas/printed-schemas.ts';
import { localFixture, type Answer, type LocalFixture } from '../support/local/service-fixture.ts';

const WANTED = 500;
/** Answers of one account: a small account has short lists. */
const ANSWERS_PER_ACCOUNT = 250;
const SEED = 20_260_101;

/** A generator of the same numbers for the same seed (mulberry32). */
function seeded(seed: number): Choices {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const number = (below: number): number => Math.floor(next() * below);
  return {
    number,
    one: (values) => {
      const value = values[number(values.length)];
      if (value === undefined) throw new Error('nothing to choose from');
      return value;
    },
  };
}

/** An account in use: the ids of the rows that it listed or created, by the path of their collection. */
interface Account {
  readonly send: LocalFixture['send'];
  readonly ids: Map<string, string[]>;
}

const collectionOf = (path: string): string => path.replace(/\/\{id\}.*$/, '').replace('/cancel', '/status');

/** Sends a request with an id in place of `{id}`; undefined where the collection has no row that is known. */
async function send(account: Account, request: string, choose: Choices, body?: unknown): Promise<Answer | undefined> {
  const [method = '', path = ''] = request.split(' ');
  const known = account.ids.get(collectionOf(path)) ?? [];
  if (path.includes('{id}') && known.length === 0) return undefined;
  const answer = await account.send(
    method,
    path.includes('{id}') ? path.replace('{id}', choose.one(known)) : path,
    body,
  );
  remember(account, method, path, answer);
  return answer;
}

function remember({ ids }: Account, method: string, path: string, { status, body }: Answer): void {
  if (status >= 300) return;
  const collection = path.replace(/\?.*/, '').replace(/\/run$/, '/status');
  if (method === 'POST' && typeof body['id'] === 'string' && !path.includes('{id}'))
    ids.set(collection, [...(ids.get(collection) ?? []), body['id']]);
  const rows = Object.values(body).find((value) => Array.isArray(value)) as
    | readonly { readonly id?: string }[]
    | undefined;
  if (method === 'GET' && rows !== undefined && !path.includes('{id}'))
    ids.set(
      collection,
      rows.flatMap(({ id }) => id ?? []),
    );
}

/** Sends a planned request. Returns its command where an answer came that the command prints. */
async function printed(account: Account, planned: PlannedRequest, choose: Choices): Promise<string | undefined> {
  const answer = await send(account, planned.request, choose, planned.body?.(choose));
  if (answer === undefined || answer.status >= 300 || answer.status === 204) return undefined;
  const document = planned.member === undefined ? answer.body : answer.body[planned.member];
  expect(objectionsTo(planned.command, document)).toBeUndefined();
  return planned.command;
}

test(`${String(WANTED)} generated answers of the local service match the schemas of the commands that print them`, async () => {
  const choose = seeded(SEED);
  const counts = new Map<string, number>(PLAN.map(({ command }) => [command, 0]));
  let answers = 0;
  let account: Account | undefined;
  while (answers < WANTED) {
    if (answers % ANSWERS_PER_ACCOUNT === 0)
      account = { send: localFixture({ quota: { minute: 1e6, hour: 1e6, day: 1e6 } }).send, ids: new Map() };
    if (account === undefined) throw new Error('no account');
    if (choose.number(10) === 0) await send(account, choose.one(DELETIONS), choose);
    const command = await printed(account, choose.one(PLAN), choose);
    if (command === undefined) continue;
    counts.set(command, (counts.get(command) ?? 0) + 1);
    answers += 1;
  }
  // Every command of the plan had answers to check.
  expect([...counts].filter(([, count]) => count === 0)).toEqual([]);
});
