import { describe, expect, test } from 'vitest';
import { describeTerminal } from '../../../../src/host/terminal/terminal.ts';
import { Settings } from '../../../../src/settings/settings.ts';
import type { Key, TakenTerminal } from '../../../../src/core/context.ts';
import { createTestWorld, KEYS, type TestWorld } from '../../../support/worlds/test-world.ts';

interface Taken {
  readonly world: TestWorld;
  readonly taken: TakenTerminal;
  readonly keys: Key[];
  /** The modes that were set on stdin, in order. */
  readonly raw: boolean[];
}

async function takeOver(noInput = false, tty = true): Promise<Taken> {
  const world = createTestWorld({ tty });
  const raw: boolean[] = [];
  Object.assign(world.stdin, { setRawMode: (mode: boolean) => raw.push(mode) });
  const terminal = describeTerminal(world, new Settings(world, { 'no-input': noInput }));
  const keys: Key[] = [];
  const taken = await terminal.takeOver({
    onKey: (key) => keys.push(key),
    onResize: () => undefined,
    suspend: () => undefined,
    resume: () => undefined,
  });
  return { world, taken, keys, raw };
}

describe('a terminal that is taken over', () => {
  test.each([
    ['q', 'q', 'q'],
    ['G', 'G', 'G'],
    ['é', 'é', 'é'],
    ['日', '日', '日'],
    [' ', ' ', ' '],
    ['?', '?', '?'],
    [KEYS.enter, 'enter', undefined],
    [KEYS.up, 'up', undefined],
    ['\u001bOB', 'down', undefined],
    ['\u001b[5~', 'pageup', undefined],
    ['\u007f', 'backspace', undefined],
    ['\t', 'tab', undefined],
  ])('%j is the key %j', async (typed, name, text) => {
    const { world, taken, keys } = await takeOver();
    await world.type(typed);
    taken.release();
    expect(keys).toEqual([{ name, text }]);
  });

  test.each(['\u0001', '\u001b[200~', '\u0000'])('%j is no key', async (typed) => {
    const { world, taken, keys } = await takeOver();
    await world.type(typed);
    taken.release();
    expect(keys).toEqual([]);
  });

  test('Escape alone is a key, once nothing has followed it', async () => {
    const { world, taken, keys } = await takeOver();
    await world.type('\u001b');
    while (keys.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    taken.release();
    expect(keys).toEqual([{ name: 'escape', text: undefined }]);
  });

  test('Ctrl-C, Ctrl-Z and Ctrl-\\ send their signals', async () => {
    const { world, taken, keys } = await takeOver();
    await world.type('\u0003', '\u001a', '\u001c');
    taken.release();
    expect([keys, world.raised]).toEqual([[], ['SIGINT', 'SIGTSTP', 'SIGQUIT']]);
  });

  test.each([
    ['--no-input', true, true],
    ['a stdin that is no terminal', false, false],
  ])('reads no keys with %s', async (_, noInput, tty) => {
    const { world, taken, keys, raw } = await takeOver(noInput, tty);
    if (tty) await world.type('q');
    taken.release();
    expect([taken.hasKeys, keys, raw]).toEqual([false, [], []]);
  });
});
