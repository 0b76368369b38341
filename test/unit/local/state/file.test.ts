import { existsSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { nodeFileSystem, type FileSystem } from '../../../../src/local/state/file/file-system.ts';
import { createState } from '../../../../src/local/state/state.ts';
import { writeForgedLock, HOLDERS } from '../../../support/files/forged-lock.ts';
import { localFixture, type LocalFixture } from '../../../support/local/service-fixture.ts';
import { fileStore } from '../../../support/local/file-store.ts';
import { cutting } from '../../../support/local/cutting-file-system.ts';
import { textNames } from '../../../support/local/saved-state.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { hintWith } from '../../../support/text/hint-of.ts';

const MINUTE = 60_000;
const fresh = () => createState(Date.UTC(2026, 0, 1));
/** An input that is long enough for a file of its own, with a number that no double holds. */
const long = (mark: string): string => `{"mark":"${mark}","n":9007199254740993,"text":"${'é'.repeat(20_000)}"}`;

let path: string;
beforeEach(() => {
  path = join(temporaryDirectory(), 'state.json');
});

const textsAt = (state: string): readonly string[] =>
  existsSync(`${state}.texts`) ? readdirSync(`${state}.texts`) : [];
/** What else there is, but the lock, which is given back after the answer. */
const besideAt = (state: string): readonly string[] =>
  readdirSync(dirname(state)).filter((name) => !['', '.texts', '.lock'].includes(name.replace(basename(state), '')));
const submit = async ({ send }: LocalFixture, input: string, endpoint = 'echo'): Promise<string> => {
  const { status, body } = await send('POST', `/v2/${endpoint}/run`, `{"input":${input}}`);
  expect(status).toBe(200);
  return String(body['id']);
};
const outputOf = async ({ send }: LocalFixture, id: string): Promise<string | undefined> =>
  /"output":(.*),"status":"COMPLETED"\}$/s.exec((await send('GET', `/v2/echo/status/${id}`)).text)?.[1];

describe('the long texts of jobs', () => {
  it('lie in private files of their own, once where they are the same, and come back to the letter', async () => {
    const one = localFixture({ store: fileStore(path) });
    const id = await submit(one, long('a'));
    one.clock.advance(5000);
    expect(await outputOf(one, id)).toBe(long('a'));
    const other = localFixture({ store: fileStore(path), clock: one.clock });
    expect(await outputOf(other, id)).toBe(long('a'));
    expect(statSync(path).size).toBeLessThan(40_000);
    expect(textsAt(path)).toEqual(textNames(path));
    expect(textsAt(path)).toHaveLength(1);
    expect(statSync(`${path}.texts`).mode & 0o777).toBe(0o700);
    for (const name of textsAt(path)) expect(statSync(join(`${path}.texts`, name)).mode & 0o777).toBe(0o600);
  });

  it('go when no job has them any more, and with a reset', async () => {
    const place = localFixture({ store: fileStore(path) });
    await submit(place, long('a'));
    place.clock.advance(10 * MINUTE);
    await submit(place, long('b'));
    expect(textsAt(path)).toHaveLength(2);
    place.clock.advance(25 * MINUTE);
    const last = await submit(place, '{}');
    expect(textsAt(path)).toEqual(textNames(path));
    expect(textsAt(path)).toHaveLength(1);
    expect((await place.send('POST', '/local/reset')).status).toBe(200);
    expect(textsAt(path)).toEqual([]);
    expect((await place.send('GET', `/v2/echo/status/${last}`)).status).toBe(404);
  });

  it('that are gone end 14, and a reset helps', async () => {
    const place = localFixture({ store: fileStore(path) });
    const id = await submit(place, long('a'));
    place.clock.advance(5000);
    await outputOf(place, id);
    await rm(`${path}.texts`, { recursive: true });
    await expect(place.send('GET', `/v2/echo/status/${id}`)).rejects.toMatchObject({
      exit: 14,
      hint: hintWith('berth local reset'),
    });
    expect((await place.send('POST', '/local/reset')).status).toBe(200);
    expect((await place.send('GET', '/v2/pods')).status).toBe(200);
  });
});

it('a kill between any two file operations leaves a state with all that was answered, and nothing for long', async () => {
  let cuts = 0;
  for (let at = 1; ; at++) {
    const place = join(dirname(path), String(at), 'state.json');
    const system = cutting(at);
    const killed = localFixture({ store: fileStore(place, system) });
    const kept = new Map<string, string>();
    const life = async (): Promise<void> => {
      kept.set(await submit(killed, long('a')), long('a'));
      killed.clock.advance(20 * MINUTE);
      for (const input of ['{"n":1}', long('b'), long('c')]) kept.set(await submit(killed, input), input);
      killed.clock.advance(11 * MINUTE);
      // The first one's result has expired by now.
      kept.delete([...kept.keys()][0] ?? '');
      kept.set(await submit(killed, long('d')), long('d'));
      killed.clock.advance(5000);
      await submit(killed, '{}');
    };
    await life().catch((error: unknown) => {
      expect(String(error)).toContain('killed');
    });
    if (!system.isCut()) break;
    cuts += 1;

    const next = localFixture({ store: fileStore(place), clock: killed.clock });
    await submit(next, '{}');
    killed.clock.advance(5000);
    for (const [id, input] of kept) expect(await outputOf(next, id), `cut at ${String(at)}`).toBe(input);
    expect([...textsAt(place)].sort(), `cut at ${String(at)}`).toEqual([...textNames(place)].sort());
    expect(besideAt(place)).toEqual([]);
  }
  expect(cuts).toBeGreaterThan(20);
});

describe('steps on one file', () => {
  it('see what another process has written over what is in memory', async () => {
    const stores = [fileStore(path), fileStore(path)];
    for (let count = 0; count < 20; count++) {
      for (const store of stores)
        await store.transact(fresh, (state) => {
          state.serial = (state.serial + 1) % 10;
        });
    }
    expect(await fileStore(path).transact(fresh, ({ serial }) => serial)).toBe(0);
    await stores[0]?.transact(fresh, (state) => {
      state.serial = 7;
    });
    expect(await stores[1]?.transact(fresh, ({ serial }) => serial)).toBe(7);
  });

  it('that come together are saved together; one that breaks takes nothing of the others with it', async () => {
    let written = 0;
    const counted: FileSystem = {
      ...nodeFileSystem,
      create: (file, pieces) => {
        written += 1;
        return nodeFileSystem.create(file, pieces);
      },
    };
    const store = fileStore(path, counted);
    const add = (amount: number) =>
      store.transact(fresh, (state) => {
        state.serial += amount;
      });
    await Promise.all(Array.from({ length: 50 }, () => add(1)));
    expect(written).toBe(1);
    const broken = store.transact(fresh, (state) => {
      state.serial = 1000;
      throw new Error('broken');
    });
    const settled = await Promise.allSettled([add(1), broken, add(1)]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await fileStore(path).transact(fresh, ({ serial }) => serial)).toBe(52);
  });

  it('of a process whose lock was taken over are not written over what came meanwhile', async () => {
    let meanwhile: (() => Promise<void>) | undefined;
    const slow: FileSystem = {
      ...nodeFileSystem,
      create: async (file, pieces) => {
        await nodeFileSystem.create(file, pieces);
        await meanwhile?.();
      },
    };
    const other = fileStore(path);
    const store = fileStore(path, slow);
    await store.transact(fresh, () => undefined);
    const before = readFileSync(path, 'utf8');
    meanwhile = () => writeFile(path, before.replace(/"stamp":"./, '"stamp":"x'));
    await expect(store.replace(fresh)).rejects.toMatchObject({ exit: 14, hint: 'Try again.' });
    expect(readFileSync(path, 'utf8').replace(/"stamp":"./, '')).toBe(before.replace(/"stamp":"./, ''));
    expect(besideAt(path)).toEqual([]);
    meanwhile = undefined;
    expect(await other.transact(fresh, (state) => (state.serial += 1))).toBe(1);
    expect(await store.transact(fresh, (state) => (state.serial += 1))).toBe(2);
  });
});

describe('when another process has taken over the lock', () => {
  /** All that another process does before it reads the state. */
  const takeOver = (): void => {
    const [token = ''] = readdirSync(`${path}.lock`);
    renameSync(join(`${path}.lock`, token), join(dirname(path), 'gone'));
    writeForgedLock(`${path}.lock`, HOLDERS.dead());
  };

  it("a new file takes nobody's place", async () => {
    let meanwhile: (() => void) | undefined;
    const store = fileStore(path, {
      ...nodeFileSystem,
      create: async (file, pieces) => {
        await nodeFileSystem.create(file, pieces);
        meanwhile?.();
      },
    });
    await store.transact(fresh, (state) => (state.serial += 1));
    const before = readFileSync(path, 'utf8');
    meanwhile = takeOver;
    await expect(store.replace(fresh)).rejects.toMatchObject({ exit: 14, hint: 'Try again.' });
    expect(readFileSync(path, 'utf8')).toBe(before);
    meanwhile = undefined;
    expect(await store.transact(fresh, (state) => (state.serial += 1))).toBe(2);
  });

  it('nothing is added to the file', async () => {
    const store = fileStore(path);
    await store.transact(fresh, () => undefined);
    const before = readFileSync(path, 'utf8');
    const late = store.transact(fresh, (state) => {
      takeOver();
      state.serial += 1;
    });
    await expect(late).rejects.toMatchObject({ exit: 14 });
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(await store.transact(fresh, (state) => (state.serial += 1))).toBe(1);
  });

  it('a step whose changes were added just then is not answered', async () => {
    const store = fileStore(path, {
      ...nodeFileSystem,
      append: (descriptor, bytes, position) => {
        takeOver();
        nodeFileSystem.append(descriptor, bytes, position);
      },
    });
    await store.transact(fresh, () => undefined);
    await expect(store.transact(fresh, (state) => (state.serial += 1))).rejects.toMatchObject({ exit: 14 });
  });
});

describe('a disk that is full', () => {
  it('ends 14, keeps nothing of what it refused, and no half of a file', async () => {
    let full = false;
    const store = fileStore(path, {
      ...nodeFileSystem,
      create: async (file, pieces) => {
        await nodeFileSystem.create(file, full ? [...pieces].map((text) => text.slice(0, 100)) : pieces);
        if (full) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      },
      append: (descriptor, bytes, position) => {
        nodeFileSystem.append(descriptor, full ? bytes.subarray(0, 100) : bytes, position);
        if (full) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      },
    });
    const place = localFixture({ store });
    const id = await submit(place, long('a'));
    full = true;
    for (const input of ['{}', long('b')])
      await expect(submit(place, input)).rejects.toMatchObject({
        exit: 14,
        message: expect.stringContaining('the disk is full') as string,
      });
    expect(textsAt(path)).toEqual(textNames(path));
    expect(besideAt(path)).toEqual([]);
    full = false;
    place.clock.advance(5000);
    expect(await outputOf(place, id)).toBe(long('a'));
    expect((await place.send('GET', '/local/status')).body['jobs']).toEqual({ COMPLETED: 1 });
  });
});
