import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { createAccount } from '../../../support/worlds/local-account.ts';

/** More than one part, with a content that shows where a byte belongs. */
const LARGE = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => `${String(at)} `).join(''));

function start() {
  const account = createAccount();
  const cwd = temporaryDirectory();
  const run = (line: string, stdin?: string | Uint8Array) =>
    account(line, { cwd, ...(stdin === undefined ? {} : { stdin }) });
  return { run, cwd };
}

describe('a copy with -', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a line', Buffer.from('a line\n')],
    ['several parts', LARGE],
  ])('writes %s from standard input to a file, and prints it again', async (_, content) => {
    const { run, cwd } = start();
    const written = await run('files cp - datasets:d/file --json', content);
    expect(written.code, written.err).toBe(0);
    expect(JSON.parse(written.out)).toMatchObject([
      { from: '-', to: 'datasets:d/file', bytes: content.byteLength, ok: true },
      { whole: { copied: 1, bytes: content.byteLength, failed: 0 } },
    ]);
    await run('files cp datasets:d/file back');
    expect(readFileSync(path.join(cwd, 'back')).equals(content)).toBe(true);
    const printed = await run('files cp datasets:d/file -');
    expect(printed.code, printed.err).toBe(0);
    expect(printed.out === content.toString()).toBe(true);
  });

  it('writes nothing in a dry run', async () => {
    const { run } = start();
    expect((await run('files cp - datasets:file --dry-run', 'x')).code).toBe(0);
    expect((await run('files ls datasets:file')).code).toBe(4);
  });

  it.each([
    ['files cp - datasets:', 'is a folder'],
    ['files cp - datasets:d/', 'is a folder'],
    ['files cp - datasets:d', 'is a folder'],
    ['files cp datasets:d -', 'is a folder'],
    ['files cp - -', 'one file on a volume'],
    ['files cp - file', 'one file on a volume'],
    ['files cp file -', 'one file on a volume'],
    ['files cp file - datasets:', 'one file on a volume'],
    ['files cp --recursive datasets:d -', '--recursive cannot be used'],
    ['files cp --verify - datasets:file', '--verify cannot be used'],
  ])('%s is refused', async (line, said) => {
    const { run, cwd } = start();
    writeFileSync(path.join(cwd, 'file'), 'x');
    await run('files cp file datasets:d/file');
    const ran = await run(line, 'x');
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(said)]);
  });
});

it('a copy prints a line for each file as JSON, and one for the whole', async () => {
  const { run, cwd } = start();
  for (const name of ['a', 'b']) writeFileSync(path.join(cwd, name), name);
  const ran = await run('files cp a b datasets:in/ -o jsonl');
  expect(ran.code, ran.err).toBe(0);
  expect(
    ran.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toMatchObject([
    { from: 'a', to: 'datasets:in/a', ok: true },
    { from: 'b', to: 'datasets:in/b', ok: true },
    { whole: { copied: 2, bytes: 2, same: 0, removed: 0, failed: 0 } },
  ]);
});
