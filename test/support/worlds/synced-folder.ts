import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryDirectory } from '../files/temporary-directory.ts';
import { createAccount, local } from './local-account.ts';
import type { TestWorldOptions } from './test-world.ts';

/** What `files cp`, `mv`, `sync` and `rm` print of a file as JSON. */
interface Row {
  readonly from?: string;
  readonly to?: string;
  readonly same?: true;
  readonly removed?: true;
  readonly ok?: boolean;
  readonly error?: { readonly message: string };
}

/** An account, and a folder with `d/one` and `d/e/two`. */
export function startSync() {
  const account = createAccount();
  const cwd = temporaryDirectory();
  const at = (name: string) => path.join(cwd, name);
  const write = (name: string, content: string | Buffer) => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), content);
  };
  write('d/one', 'one');
  write('d/e/two', 'two!');
  const run = (line: string, options: TestWorldOptions = {}) => account(`files ${line}`, { cwd, ...options });
  const json = async (line: string, options: TestWorldOptions = {}) => {
    const ran = await run(`${line} --json`, options);
    return { ...ran, rows: ran.out.startsWith('[') ? (JSON.parse(ran.out) as readonly Row[]) : [] };
  };
  const sync = (line: string, options: TestWorldOptions = {}) => json(`sync ${line}`, options);
  const keys = async (place: string) =>
    (JSON.parse(await local(account, `files ls -r ${place} --json`)) as readonly { path: string }[]).map(
      (row) => row.path,
    );
  return { account, at, write, run, json, sync, keys, cwd };
}

/** The files below a folder of this machine, sorted. */
export const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
