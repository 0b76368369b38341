import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryDirectory } from '../files/temporary-directory.ts';
import { createAccount, local } from './local-account.ts';
import type { TestWorldOptions } from './test-world.ts';

/** What `files sync --json` prints of a file. */
interface Row {
  readonly from?: string;
  readonly to?: string;
  readonly removed?: true;
  readonly ok?: boolean;
  readonly error?: { readonly message: string };
  readonly whole?: Readonly<Record<string, number>>;
}

/** An account, and a folder with `d/one`, `d/e/two` and `d/.gitignore`. */
export function startSync() {
  const account = createAccount();
  const cwd = temporaryDirectory();
  const at = (name: string) => path.join(cwd, name);
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };
  write('d/one', 'one');
  write('d/e/two', 'two!');
  const run = (line: string, options: TestWorldOptions = {}) => account(`files ${line}`, { cwd, ...options });
  const sync = async (line: string, options: TestWorldOptions = {}) => {
    const ran = await run(`sync ${line} --json`, options);
    const rows = ran.out.startsWith('[') ? (JSON.parse(ran.out) as readonly Row[]) : [];
    return { ...ran, rows: rows.filter(({ whole }) => whole === undefined), whole: rows.at(-1)?.whole };
  };
  const keys = async (place: string) =>
    (JSON.parse(await local(account, `files ls -r ${place} --json`)) as readonly { path: string }[]).map(
      (row) => row.path,
    );
  return { account, at, write, run, sync, keys, cwd };
}

/** The files below a folder of this machine, sorted. */
export const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
