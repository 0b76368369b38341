import { randomUUID } from 'node:crypto';
import { promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';
import { decodeJson, numberAt, stringAt } from '../../../core/json.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/** Files of a volume that are written and not shown yet: a fault. */
export interface LateFiles {
  /** Keeps what a file is now, and returns where. */
  keep(path: string): Promise<string>;
  /** Takes a file away until a time; `before` is what was kept of the one before it. */
  hide(path: string, until: EpochMs, before: string | undefined): Promise<void>;
  /** Puts those into their places whose time has come. */
  show(now: number): Promise<void>;
}

interface LateFile {
  readonly held: string;
  readonly path: string;
  readonly until: EpochMs;
}

const RECORD = '.late.json';

/** Opens the late files of a volume, which are kept in `folder` with a record beside each. */
export async function openLateFiles(folder: string): Promise<LateFiles> {
  let files = await readRecords(folder);
  const newPath = async (): Promise<string> => {
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    return join(folder, randomUUID());
  };
  return {
    keep: async (path) => {
      const kept = await newPath();
      await fs.link(path, kept);
      return kept;
    },
    hide: async (path, until, before) => {
      const held = await newPath();
      await fs.writeFile(`${held}${RECORD}`, JSON.stringify({ path, until }), { mode: 0o600 });
      await fs.rename(path, held);
      if (before !== undefined) await fs.rename(before, path);
      files.push({ held, path, until });
    },
    show: async (now) => {
      const due = files.filter(({ until }) => until <= now);
      if (due.length === 0) return;
      files = files.filter(({ until }) => until > now);
      for (const { held, path } of due) {
        await fs.mkdir(dirname(path), { recursive: true, mode: 0o700 });
        // Another process may have done it.
        await fs.rename(held, path).catch(() => undefined);
        await fs.rm(`${held}${RECORD}`, { force: true });
      }
    },
  };
}

async function readRecords(folder: string): Promise<LateFile[]> {
  const names = (await fs.readdir(folder).catch(() => [])).filter((name) => name.endsWith(RECORD));
  return Promise.all(
    names.map(async (name) => {
      const record = decodeJson(await fs.readFile(join(folder, name), 'utf8'));
      return {
        held: join(folder, name.slice(0, -RECORD.length)),
        path: stringAt(record, 'path') ?? '',
        until: numberAt(record, 'until') ?? 0,
      };
    }),
  );
}
