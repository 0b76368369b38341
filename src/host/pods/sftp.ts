import { constants, promises as fs, type Stats } from 'node:fs';
import { join } from 'node:path';
import { utils, type Attributes, type InputAttributes, type SFTPWrapper } from 'ssh2';
import { errorCode } from '../../core/files.ts';
import type { Bytes } from '../../core/unit-types.ts';
import type { ContainerView } from './container.ts';

const { STATUS_CODE, OPEN_MODE } = utils.sftp;

const STATUS: Readonly<Record<string, number>> = {
  ENOENT: STATUS_CODE.NO_SUCH_FILE,
  EACCES: STATUS_CODE.PERMISSION_DENIED,
  EPERM: STATUS_CODE.PERMISSION_DENIED,
};

interface Entry {
  readonly filename: string;
  readonly longname: string;
  readonly attrs: Attributes;
}

/** A file, or the entries of a folder that are still to be sent. */
type Opened = fs.FileHandle | Entry[];

/** Sends an answer; nothing is a status of success. */
type Answer = ((id: number) => void) | undefined;

const MAX_READ: Bytes = 262_144;
const ENTRIES_AT_ONCE = 100;

export function serveSftp(sftp: SFTPWrapper, view: ContainerView): void {
  const opened = new Map<string, Opened>();
  let handles = 0;
  const real = (path: string): Promise<string> => view.real(path, { isWrite: false, follow: true });
  const link = (path: string): Promise<string> => view.real(path, { isWrite: false, follow: false });
  const written = (path: string): Promise<string> => view.real(path, { isWrite: true, follow: false });
  const keep = (one: Opened): Answer => {
    const handle = String((handles += 1));
    opened.set(handle, one);
    return (id) => {
      sftp.handle(id, Buffer.from(handle));
    };
  };
  const fileAt = (handle: Buffer): fs.FileHandle => {
    const found = opened.get(handle.toString());
    if (found === undefined || Array.isArray(found)) throw new Error('no such handle');
    return found;
  };
  const end: Answer = (id) => {
    sftp.status(id, STATUS_CODE.EOF);
  };
  const names = (entries: Entry[]): Answer => {
    if (entries.length === 0) return end;
    return (id) => {
      sftp.name(id, entries);
    };
  };
  const attributes =
    (stats: Stats): Answer =>
    (id) => {
      sftp.attrs(id, attributesOf(stats));
    };

  const requests = {
    REALPATH: async (path: string) => names([entryOf(view.absolute(path))]),
    READLINK: async (path: string) => names([entryOf(await fs.readlink(await link(path)))]),
    STAT: async (path: string) => attributes(await fs.stat(await real(path))),
    LSTAT: async (path: string) => attributes(await fs.lstat(await link(path))),
    FSTAT: async (handle: Buffer) => attributes(await fileAt(handle).stat()),
    OPEN: async (path: string, flags: number, { mode = 0o644 }: { readonly mode?: number }) => {
      // A file that must be new never follows a link.
      const how = { isWrite: (flags & OPEN_MODE.WRITE) !== 0, follow: (flags & OPEN_MODE.EXCL) === 0 };
      return keep(await fs.open(await view.real(path, how), systemFlags(flags), mode & 0o777));
    },
    READ: async (handle: Buffer, offset: number, length: number): Promise<Answer> => {
      const buffer = Buffer.alloc(Math.min(length, MAX_READ));
      const { bytesRead } = await fileAt(handle).read(buffer, 0, buffer.byteLength, offset);
      if (bytesRead === 0) return end;
      return (id) => {
        sftp.data(id, buffer.subarray(0, bytesRead));
      };
    },
    OPENDIR: async (path: string) => keep(await entriesOf(await real(path))),
    READDIR: async (handle: Buffer) => {
      const found = opened.get(handle.toString());
      return names(Array.isArray(found) ? found.splice(0, ENTRIES_AT_ONCE) : []);
    },
    WRITE: async (handle: Buffer, offset: number, data: Buffer) => {
      for (let done = 0; done < data.byteLength;)
        done += (await fileAt(handle).write(data, done, data.byteLength - done, offset + done)).bytesWritten;
    },
    CLOSE: async (handle: Buffer) => {
      const found = opened.get(handle.toString());
      opened.delete(handle.toString());
      if (found !== undefined && !Array.isArray(found)) await found.close();
    },
    SETSTAT: async (path: string, wanted: InputAttributes) => {
      const file = await fs.open(await view.real(path, { isWrite: true, follow: true }), 'r');
      try {
        await setAttributes(file, wanted);
      } finally {
        await file.close();
      }
    },
    FSETSTAT: (handle: Buffer, wanted: InputAttributes) => setAttributes(fileAt(handle), wanted),
    MKDIR: async (path: string) => fs.mkdir(await written(path)),
    RMDIR: async (path: string) => fs.rmdir(await written(path)),
    REMOVE: async (path: string) => fs.unlink(await written(path)),
    RENAME: async (from: string, to: string) => fs.rename(await written(from), await written(to)),
    SYMLINK: async (target: string, at: string) => fs.symlink(target, await written(at)),
  };

  /** In order: OpenSSH silently cuts an unfinished upload when answers come in another order. */
  let last: Promise<unknown> = Promise.resolve();
  type Work = (...rest: readonly unknown[]) => Promise<Answer>;
  const listener = sftp as { on(name: string, work: (id: number, ...rest: readonly unknown[]) => void): unknown };
  for (const [name, work] of Object.entries(requests) as unknown as readonly (readonly [string, Work])[])
    listener.on(name, (id, ...rest) => {
      last = last
        .then(() => work(...rest))
        .then((answer) => {
          if (typeof answer === 'function') answer(id);
          else sftp.status(id, STATUS_CODE.OK);
        })
        .catch((error: unknown) => {
          // The message has no path, which is of this machine.
          sftp.status(id, STATUS[errorCode(error) ?? ''] ?? STATUS_CODE.FAILURE, errorCode(error) ?? 'failed');
        });
    });
  sftp.on('end', () => {
    sftp.end();
  });
  sftp.on('close', () => {
    for (const each of opened.values()) if (!Array.isArray(each)) void each.close().catch(() => undefined);
    opened.clear();
  });
}

function systemFlags(flags: number): number {
  const { WRITE, READ, APPEND, CREAT, TRUNC, EXCL } = OPEN_MODE;
  const { O_RDONLY, O_RDWR, O_WRONLY, O_APPEND, O_CREAT, O_TRUNC, O_EXCL } = constants;
  const own = (flag: number, system: number): number => ((flags & flag) === 0 ? 0 : system);
  const access = (flags & WRITE) === 0 ? O_RDONLY : (flags & READ) === 0 ? O_WRONLY : O_RDWR;
  return access | own(APPEND, O_APPEND) | own(CREAT, O_CREAT) | own(TRUNC, O_TRUNC) | own(EXCL, O_EXCL);
}

const attributesOf = ({ mode, uid, gid, size, atimeMs, mtimeMs }: Stats): Attributes => ({
  mode,
  uid,
  gid,
  size,
  atime: Math.floor(atimeMs / 1000),
  mtime: Math.floor(mtimeMs / 1000),
});

const NO_ATTRIBUTES: Attributes = { mode: 0, uid: 0, gid: 0, size: 0, atime: 0, mtime: 0 };

const entryOf = (filename: string, stats?: Stats): Entry => ({
  filename,
  longname: `${stats?.isDirectory() === true ? 'd' : '-'} ${String(stats?.size ?? 0)} ${filename}`,
  attrs: stats === undefined ? NO_ATTRIBUTES : attributesOf(stats),
});

async function entriesOf(folder: string): Promise<Entry[]> {
  const names = ['.', '..', ...(await fs.readdir(folder))];
  return await Promise.all(
    names.map(async (name) => entryOf(name, await fs.lstat(join(folder, name)).catch(() => undefined))),
  );
}

/** Owners are left as they are. */
async function setAttributes(file: fs.FileHandle, attributes: InputAttributes): Promise<void> {
  const { mode, size, atime, mtime } = attributes as Partial<Attributes>;
  if (mode !== undefined) await file.chmod(mode & 0o777);
  if (size !== undefined) await file.truncate(size);
  if (atime !== undefined && mtime !== undefined) await file.utimes(atime, mtime);
}
