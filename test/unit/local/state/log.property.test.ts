import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createState, type State } from '../../../../src/local/state/state.ts';
import type { Store } from '../../../../src/local/state/file/store.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { cutting } from '../../../support/local/cutting-file-system.ts';
import { fileStore } from '../../../support/local/file-store.ts';
import { savedState, textNames } from '../../../support/local/saved-state.ts';
import { localFixture, type LocalFixture } from '../../../support/local/service-fixture.ts';
import { hintWith } from '../../../support/text/hint-of.ts';

const fresh = () => createState(Date.UTC(2026, 0, 1));

let folder: string;
let path: string;
beforeEach(() => {
  folder = temporaryDirectory();
  path = join(folder, 'state.json');
});

/** What a state holds, without the times of its last use, which need not be saved. Timers have no order of their own. */
function contentOf(state: State): unknown {
  const {
    asOf: _asOf,
    wallAt: _wallAt,
    processedTo: _processedTo,
    parts,
    ...fields
  } = JSON.parse(JSON.stringify(state)) as State & {
    readonly parts: { readonly queue?: { readonly timers: { readonly order: number }[] } };
  };
  const timers = parts.queue?.timers.toSorted((a, b) => a.order - b.order);
  return { ...fields, parts: { ...parts, queue: { ...parts.queue, timers } } };
}

const contentIn = (store: Store): Promise<unknown> => store.transact(fresh, contentOf);

/** One thing that is done to the service, by its first or second process. */
interface Action {
  readonly process: 0 | 1;
  /** Before it. Milliseconds. */
  readonly pause: number;
  readonly what: (typeof KINDS)[number];
  /** Selects a job, an endpoint or a text. */
  readonly pick: number;
}

const KINDS = [
  'run',
  'run long',
  'runsync',
  'status',
  'stream',
  'cancel',
  'retry',
  'purge',
  'volume',
  'delete',
  'endpoint',
  'limits',
] as const;
const ENDPOINTS = ['echo', 'demo', 'sleep', 'fail', 'stream'] as const;

const someAction: fc.Arbitrary<Action> = fc.record({
  process: fc.constantFrom<0 | 1>(0, 1),
  pause: fc.constantFrom(0, 0, 10, 700, 3000, 70_000, 1_900_000),
  what: fc.constantFrom(...KINDS),
  pick: fc.nat(40),
});

async function perform({ send }: LocalFixture, { what, pick }: Action, jobs: string[]): Promise<void> {
  const endpoint = ENDPOINTS[pick % ENDPOINTS.length] ?? 'echo';
  const [owner = 'echo', job = 'none'] = (jobs[pick % Math.max(1, jobs.length)] ?? '').split(' ');
  const input = { seconds: pick % 3, chunks: pick % 4, text: what === 'run long' ? 'é'.repeat(17_000 + pick) : 'x' };
  switch (what) {
    case 'run':
    case 'run long': {
      const policy = pick % 3 === 0 ? { policy: { ttl: 60_000, lowPriority: true } } : {};
      const { body } = await send('POST', `/v2/${endpoint}/run`, { input, ...policy });
      if (typeof body['id'] === 'string') jobs.push(`${endpoint} ${body['id']}`);
      return;
    }
    case 'runsync':
      await send('POST', `/v2/${endpoint}/runsync?wait=1000`, { input });
      return;
    case 'status':
    case 'stream':
      await send('GET', `/v2/${owner}/${what}/${job}`);
      return;
    case 'cancel':
    case 'retry':
      await send('POST', `/v2/${owner}/${what}/${job}`);
      return;
    case 'purge':
      await send('POST', `/v2/${endpoint}/purge-queue`);
      return;
    case 'volume':
      await send('POST', '/v2/network-volumes', { name: `v${String(pick)}`, size: 10, dataCenter: 'EU-WEST-1' });
      return;
    case 'delete':
      await send('DELETE', pick % 2 === 0 ? '/v2/network-volumes/vol-scratch' : `/v2/serverless/${endpoint}`);
      return;
    case 'endpoint':
      await send('PATCH', `/v2/serverless/${endpoint}`, { workers: { min: 0, max: 1 + (pick % 4) } });
      return;
    case 'limits':
      await send('GET', '/v2/pods');
      return;
  }
}

it('a fresh process reads what two processes have in memory, whatever they have done', async () => {
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(someAction, { minLength: 1, maxLength: 40 }), async (actions) => {
      const place = join(folder, String((round += 1)), 'state.json');
      const clock = createTestClock();
      const stores = [fileStore(place), fileStore(place)] as const;
      const processes = stores.map((store) => localFixture({ store, clock, queueLimits: true }));
      const jobs: string[] = [];
      for (const action of actions) {
        clock.advance(action.pause);
        const own = processes[action.process];
        if (own !== undefined) await perform(own, action, jobs);
        expect(contentOf(savedState(place).state)).toEqual(await contentIn(stores[action.process]));
      }
      expect(await contentIn(stores[0])).toEqual(await contentIn(stores[1]));
      const texts = existsSync(`${place}.texts`) ? readdirSync(`${place}.texts`) : [];
      expect(texts.toSorted()).toEqual(textNames(place).toSorted());
    }),
    { numRuns: 25 },
  );
});

/** Submits jobs until the file is about to be written anew. Returns their ids. */
async function fill({ send }: LocalFixture, size: number): Promise<string[]> {
  const ids: string[] = [];
  while (!existsSync(path) || statSync(path).size < size) {
    const { body } = await send('POST', '/v2/echo/run', { input: { text: 'x'.repeat(2000) } });
    ids.push(String(body['id']));
  }
  return ids;
}

const statusOf = async ({ send }: LocalFixture, id: string): Promise<number> =>
  (await send('GET', `/v2/echo/status/${id}`)).status;

/** The text of a state with other parts in its last line. */
const lastParts =
  (parts: string) =>
  (text: string): string =>
    text.replace(/\{"fields":.*\n$/, `{"parts":${parts},"whole":true}\n`);

describe('a file of changes', () => {
  it('is written anew when it has grown, and has all that was there', async () => {
    const place = localFixture({ store: fileStore(path) });
    await place.send('GET', '/v2/pods');
    const inode = statSync(path).ino;
    const stamp = (): string => readFileSync(path, 'latin1').slice(0, 60);
    const first = stamp();
    const ids: string[] = [];
    while (stamp() === first) ids.push(...(await fill(place, statSync(path).size + 1)));
    expect(statSync(path).ino).not.toBe(inode);
    const next = localFixture({ store: fileStore(path), clock: place.clock });
    for (const id of ids) expect(await statusOf(next, id)).toBe(200);
  });

  it('that ends within a line is what it was before that line, wherever it ends', async () => {
    const clock = createTestClock();
    const store = fileStore(path);
    const place = localFixture({ store, clock });
    await place.send('POST', '/v2/echo/run', { input: {} });
    const before = await contentIn(store);
    const size = statSync(path).size;
    await store.transact(fresh, (state) => {
      state.serial += 1;
    });
    const whole = statSync(path).size;
    for (let cut = size; cut < whole; cut += 7) {
      const copy = join(folder, `cut-${String(cut)}.json`);
      copyFileSync(path, copy);
      truncateSync(copy, cut);
      const others = [fileStore(copy), fileStore(copy)] as const;
      expect(await contentIn(others[0])).toEqual(before);
      for (const other of others)
        await other.transact(fresh, (state) => {
          state.serial += 1;
        });
      expect(await others[0].transact(fresh, ({ serial }) => serial)).toBe(savedState(copy).state.serial);
      expect(readFileSync(copy, 'utf8').endsWith('}\n')).toBe(true);
    }
  });

  it.each([
    ['a line that is no JSON', (text: string) => text.replace('\n{', '\n{{')],
    ['the first lines alone', (text: string) => text.split('\n').slice(0, 3).join('\n') + '\n'],
    ['a header with a date that is text', (text: string) => text.replace(/"since":\d+/, '"since":"now"')],
    ['a serial number that is text', (text: string) => text.replace(/"serial":\d+/, '"serial":"1"')],
    ['parts that are a list', lastParts('[1]')],
    ['a part that is a number', lastParts('{"pods":1}')],
    ['a queue that is an object', lastParts('{"queue":{}}')],
    ['jobs that are a number', lastParts('{"queue":[{"jobs":1}]}')],
    ['a job without an id', lastParts('{"queue":[{"jobs":{"set":[{}]}}]}')],
    ['timers that are no list', lastParts('{"queue":[{"timers":{"set":1}}]}')],
    ['a timer without an event', lastParts('{"queue":[{"timers":{"set":[{"at":1,"order":1}]}}]}')],
    ['deliveries that are no list', lastParts('{"queue":[{"deliveries":1}]}')],
    ['a waiting line without its ids', lastParts('{"queue":[{"byEndpoint":[{"echo":[{"waiting":{"ids":1}}]}]}]}')],
    ['a wait that is text', lastParts('{"queue":[{"awaited":[{"a":"b"}]}]}')],
    ['removed parts that are a number', lastParts('{"queue":[{},1]}')],
    ['another version', (text: string) => text.replace('"version":7', '"version":8')],
  ])('that is damaged ends 14, and a reset helps: %s', async (_, damage) => {
    const place = localFixture({ store: fileStore(path) });
    await place.send('GET', '/v2/pods');
    const { writeFile } = await import('node:fs/promises');
    await writeFile(path, damage(readFileSync(path, 'utf8')));
    const other = localFixture({ store: fileStore(path) });
    await expect(other.send('GET', '/v2/pods')).rejects.toMatchObject({
      exit: 14,
      hint: hintWith('berth local reset'),
    });
    expect((await other.send('POST', '/local/reset')).status).toBe(200);
    expect((await other.send('GET', '/v2/pods')).status).toBe(200);
  });

  it('has all that was answered after a kill at any file operation while it is written anew', async () => {
    const clock = createTestClock();
    const filled = localFixture({ store: fileStore(path), clock });
    const before = await fill(filled, 60_000);
    let cuts = 0;
    for (let at = 1; ; at++) {
      const copy = join(folder, String(at), 'state.json');
      mkdirSync(dirname(copy));
      copyFileSync(path, copy);
      const system = cutting(at);
      const killed = localFixture({ store: fileStore(copy, system), clock });
      const answered = [...before];
      const life = async (): Promise<void> => {
        for (const size of [2000, 2000, 20_000, 2000, 2000, 2000]) {
          const { body } = await killed.send('POST', '/v2/echo/run', { input: { text: 'y'.repeat(size) } });
          answered.push(String(body['id']));
        }
      };
      await life().catch((error: unknown) => {
        expect(String(error)).toContain('killed');
      });
      if (!system.isCut()) break;
      cuts += 1;
      const next = localFixture({ store: fileStore(copy), clock });
      await next.send('POST', '/v2/echo/run', { input: {} });
      for (const id of answered) expect([at, await statusOf(next, id)]).toEqual([at, 200]);
      const beside = readdirSync(dirname(copy)).filter((name) => name !== basename(copy) && !name.endsWith('.texts'));
      expect(beside.filter((name) => !name.endsWith('.lock'))).toEqual([]);
    }
    expect(cuts).toBeGreaterThan(8);
  });
});
