import { errorCode } from '../../core/files.ts';
import { constants, promises as fs, type Stats } from 'node:fs';
import { join } from 'node:path';
import { utils, type Attributes, type InputAttributes, type SFTPWrapper } from 'ssh2';
import type { ContainerView } from './container.ts';
import type { Bytes } from '../../core/unit-types.ts';

const { STATUS_CODE, OPEN_MODE } = utils.sftp;

const STATUS: Readonly<Record<string, number>> = {
  ENOENT: STATUS_CODE.NO_SUCH_FILE,
  EACCES: STATUS_CODE.PERMISSION_DENIED,
  EPERM: STATUS_CODE.PERMISSION_DENIED,
};

interface Entry {
  readonly name: string;
  readonly stats: Stats;
}

/** A file, or the entries of a folder that are still to be sent. */
type Opened = fs.FileHandle | Entry[];

const MAX_OPEN = 256;
const MAX_READ: Bytes = 262_144;
const ENTRIES_AT_ONCE = 100;

export function serveSftp(sftp: SFTPWrapper, view: ContainerView): void {
  const opened = new Map<string, Opened>();
  let handles = 0;
  const real = (path: string): Promise<string> => view.real(path, { isWrite: false, follow: true });
  const link = (path: string): Promise<string> => view.real(path, { isWrite: false, follow: false });
  const written = (path: string): Promise<string> => view.real(path, { isWrite: true, follow: false });
  const keep = (id: number, one: Opened): void => {
    handles += 1;
    opened.set(String(handles), one);
    sftp.handle(id, Buffer.from(String(handles)));
  };
  const fileAt = (handle: Buffer): fs.FileHandle => {
    const found = opened.get(handle.toString());
    if (found === undefined || Array.isArray(found)) throw new Error('no such handle');
    return found;
  };
  const sendName = (id: number, filename: string): void => {
    sftp.name(id, [{ filename, longname: filename, attrs: NO_ATTRIBUTES }]);
  };

  const answers = {
    REALPATH: async (id: number, path: string) => {
      sendName(id, view.absolute(path));
    },
    READLINK: async (id: number, path: string) => {
      sendName(id, await fs.readlink(await link(path)));
    },
    STAT: async (id: number, path: string) => {
      sftp.attrs(id, attributesOf(await fs.stat(await real(path))));
    },
    LSTAT: async (id: number, path: string) => {
      sftp.attrs(id, attributesOf(await fs.lstat(await link(path))));
    },
    FSTAT: async (id: number, handle: Buffer) => {
      sftp.attrs(id, attributesOf(await fileAt(handle).stat()));
    },
    OPEN: async (id: number, path: string, flags: number, { mode = 0o644 }: { readonly mode?: number }) => {
      if (opened.size >= MAX_OPEN) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
      keep(id, await fs.open(await view.real(path, howToOpen(flags)), systemFlags(flags), mode & 0o777));
    },
    READ: async (id: number, handle: Buffer, offset: number, length: number) => {
      const buffer = Buffer.alloc(Math.min(length, MAX_READ));
      const { bytesRead } = await fileAt(handle).read(buffer, 0, buffer.byteLength, offset);
      if (bytesRead === 0) sftp.status(id, STATUS_CODE.EOF);
      else sftp.data(id, buffer.subarray(0, bytesRead));
    },
    OPENDIR: async (id: number, path: string) => {
      keep(id, await entriesOf(await real(path)));
    },
    READDIR: async (id: number, handle: Buffer) => {
      const found = opened.get(handle.toString());
      const some = Array.isArray(found) ? found.splice(0, ENTRIES_AT_ONCE) : [];
      if (some.length === 0) sftp.status(id, STATUS_CODE.EOF);
      else sftp.name(id, some.map(listed));
    },
  };
  /** Answered with a status alone. */
  const changes = {
    WRITE: (handle: Buffer, offset: number, data: Buffer) => writeAll(fileAt(handle), data, offset),
    CLOSE: async (handle: Buffer) => {
      const found = opened.get(handle.toString());
      opened.delete(handle.toString());
      if (found !== undefined && !Array.isArray(found)) await found.close();
    },
    SETSTAT: async (path: string, attributes: InputAttributes) =>
      setAttributes(await view.real(path, { isWrite: true, follow: true }), attributes),
    FSETSTAT: (handle: Buffer, attributes: InputAttributes) => setOpenAttributes(fileAt(handle), attributes),
    MKDIR: async (path: string) => fs.mkdir(await written(path)),
    RMDIR: async (path: string) => fs.rmdir(await written(path)),
    REMOVE: async (path: string) => fs.unlink(await written(path)),
    RENAME: async (from: string, to: string) => fs.rename(await written(from), await written(to)),
    SYMLINK: async (target: string, at: string) => fs.symlink(target, await written(at)),
  };

  /** In order: OpenSSH silently cuts an unfinished upload when answers come in another order. */
  let last: Promise<unknown> = Promise.resolve();
  const listen = (name: string, work: (id: number, ...rest: readonly unknown[]) => Promise<unknown>): void => {
    (sftp as { on(name: string, listener: (id: number, ...rest: readonly unknown[]) => void): unknown }).on(
      name,
      (id, ...rest) => {
        last = last
          .then(() => work(id, ...rest))
          .catch((error: unknown) => {
            // The message has no path, which is of this machine.
            sftp.status(id, STATUS[errorCode(error) ?? ''] ?? STATUS_CODE.FAILURE, errorCode(error) ?? 'failed');
          });
      },
    );
  };
  for (const [name, work] of Object.entries(answers)) listen(name, work as Parameters<typeof listen>[1]);
  for (const [name, work] of Object.entries(changes))
    listen(name, async (id, ...rest) => {
      await (work as (...rest: readonly unknown[]) => Promise<unknown>)(...rest);
      sftp.status(id, STATUS_CODE.OK);
    });
  sftp.on('end', () => {
    sftp.end();
  });
  sftp.on('close', () => {
    for (const each of opened.values()) if (!Array.isArray(each)) void each.close().catch(() => undefined);
    opened.clear();
  });
}

/** A file that must be new never follows a link. */
const howToOpen = (flags: number) => ({
  isWrite: (flags & OPEN_MODE.WRITE) !== 0,
  follow: (flags & OPEN_MODE.EXCL) === 0,
});

function systemFlags(flags: number): number {
  const has = (flag: number): boolean => (flags & flag) !== 0;
  const access = !has(OPEN_MODE.WRITE)
    ? constants.O_RDONLY
    : has(OPEN_MODE.READ)
      ? constants.O_RDWR
      : constants.O_WRONLY;
  return (
    access |
    (has(OPEN_MODE.APPEND) ? constants.O_APPEND : 0) |
    (has(OPEN_MODE.CREAT) ? constants.O_CREAT : 0) |
    (has(OPEN_MODE.TRUNC) ? constants.O_TRUNC : 0) |
    (has(OPEN_MODE.EXCL) ? constants.O_EXCL : 0)
  );
}

const NO_ATTRIBUTES: Attributes = { mode: 0, uid: 0, gid: 0, size: 0, atime: 0, mtime: 0 };

const attributesOf = ({ mode, uid, gid, size, atimeMs, mtimeMs }: Stats): Attributes => ({
  mode,
  uid,
  gid,
  size,
  atime: Math.floor(atimeMs / 1000),
  mtime: Math.floor(mtimeMs / 1000),
});

const listed = ({ name, stats }: Entry) => ({
  filename: name,
  longname: longName(name, stats),
  attrs: attributesOf(stats),
});

const longName = (name: string, stats: Stats): string =>
  `${stats.isDirectory() ? 'd' : stats.isSymbolicLink() ? 'l' : '-'}${(stats.mode & 0o777).toString(8)} 1 root root ${String(stats.size)} ${stats.mtime.toISOString()} ${name}`;

async function entriesOf(folder: string): Promise<Entry[]> {
  const names = ['.', '..', ...(await fs.readdir(folder))];
  const found = await Promise.all(
    names.map(async (name) => ({ name, stats: await fs.lstat(join(folder, name)).catch(() => undefined) })),
  );
  return found.flatMap(({ name, stats }) => (stats === undefined ? [] : [{ name, stats }]));
}

async function writeAll(file: fs.FileHandle, data: Buffer, offset: number): Promise<void> {
  for (let done = 0; done < data.byteLength;) {
    const { bytesWritten } = await file.write(data, done, data.byteLength - done, offset + done);
    done += bytesWritten;
  }
}

async function setAttributes(path: string, attributes: InputAttributes): Promise<void> {
  const file = await fs.open(path, 'r');
  try {
    await setOpenAttributes(file, attributes);
  } finally {
    await file.close();
  }
}

/** Owners are left as they are. */
async function setOpenAttributes(file: fs.FileHandle, attributes: InputAttributes): Promise<void> {
  const { mode, size, atime, mtime } = attributes as Partial<Attributes>;
  if (mode !== undefined) await file.chmod(mode & 0o777);
  if (size !== undefined) await file.truncate(size);
  if (atime !== undefined && mtime !== undefined) await file.utimes(atime, mtime);
}
