import { appendFileSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { planInputs } from '../../../../src/batch/read/inputs.ts';
import { findInputs } from '../../../../src/batch/read/find-inputs.ts';
import { type BatchInputs, type InputPorts, allItems } from '../../../../src/batch/read/inputs.ts';
import type { InvalidItem, Item } from '../../../../src/batch/read/items.ts';
import { openDurable } from '../../../../src/host/files/durable-files.ts';
import { realLocks } from '../../../support/files/real-locks.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

function folder() {
  const directory = temporaryDirectory();
  const { signal } = new AbortController();
  const ports: InputPorts = {
    durable: openDurable({ stdin: Readable.from([]), cwd: directory }, signal, realLocks()),
    signal,
  };
  const at = (name: string): string => join(directory, name);
  const plan = async (...patterns: readonly string[]) =>
    planInputs(ports, await findInputs(ports, patterns), { skipInvalid: true, extras: '' });
  return { ports, at, plan, directory };
}

async function read(ports: InputPorts, inputs: BatchInputs): Promise<readonly (Item | InvalidItem)[]> {
  const all: (Item | InvalidItem)[] = [];
  for await (const group of allItems(ports, inputs)) for (const item of group) all.push(item);
  return all;
}

const shown = (item: Item | InvalidItem): readonly [number, string] => [
  item.number,
  item.kind === 'item' ? Buffer.from(item.input).toString() : item.reason,
];

describe('the inputs of a batch', () => {
  test('are found relative to the working directory, in the order of their bytes, without links to folders', async () => {
    const { ports, at, directory } = folder();
    mkdirSync(at('in'));
    for (const name of ['in/b.csv', 'a.csv', 'in/a-b.csv']) writeFileSync(at(name), 'b');
    symlinkSync(directory, at('in/above'));
    symlinkSync(at('a.csv'), at('in/c.csv'));
    symlinkSync(at('missing'), at('in/d.csv'));
    const found = async (pattern: string) =>
      (await findInputs(ports, [pattern])).map(({ path }) => path.slice(directory.length + 1));
    expect(await found('**/*.csv')).toEqual(['a.csv', 'in/a-b.csv', 'in/b.csv', 'in/c.csv']);
    expect(await found('in/')).toEqual(['in/a-b.csv', 'in/b.csv', 'in/c.csv']);
  });

  test.each(['a.jsonl', 'a.csv', 'a.jsonl.gz'])(
    'are not read when the content of %s was changed, and are read when only its time was',
    async (name) => {
      const { ports, at, plan } = folder();
      const put = (middle: string): void => {
        const text = name === 'a.csv' ? `a\n1\n${middle}\n3\n` : `{"a":1}\n{"a":${middle}}\n{"a":3}\n`;
        writeFileSync(at(name), name.endsWith('.gz') ? gzipSync(text) : text);
        utimesSync(at(name), 1, 1);
      };
      put('2');
      const inputs = await plan(name);
      utimesSync(at(name), 2, 2);
      expect(await read(ports, inputs)).toHaveLength(3);
      const changed = { exit: 14, message: `the input ${name} was changed after it was checked` };
      put('5');
      await expect(read(ports, inputs)).rejects.toMatchObject(changed);
      writeFileSync(at(name), '');
      await expect(read(ports, inputs)).rejects.toMatchObject(changed);
      rmSync(at(name));
      await expect(read(ports, inputs)).rejects.toMatchObject(changed);
    },
  );

  const changes: Readonly<Record<string, (path: string) => unknown>> = {
    'appended to': (path) => (appendFileSync(path, '{"n":0}\n'), undefined),
    'overwritten with as many bytes': (path) => (writeFileSync(path, '{"n":2}\n'.repeat(100_000)), undefined),
    cut: (path) => (writeFileSync(path, ''), undefined),
    removed: (path) => (rmSync(path), undefined),
  };
  test.each(Object.entries(changes))('are not read on when one is %s meanwhile', async (_, change) => {
    const { ports, at, plan } = folder();
    writeFileSync(at('a.jsonl'), '{"n":1}\n'.repeat(100_000));
    const groups = allItems(ports, await plan('a.jsonl'));
    const first = await groups.next();
    expect(first.done).toBe(false);
    change(at('a.jsonl'));
    await expect(
      (async () => {
        for await (const group of groups) for (const item of group) expect(shown(item)[1]).toBe('{"n":1}');
      })(),
    ).rejects.toMatchObject({ exit: 14 });
  });
});
