import { errorCode } from '../../core/files.ts';
import { constants, promises as fs, type Stats } from 'node:fs';
import { join } from 'node:path';
import { utils, type Attributes, type InputAttributes, type SFTPWrapper } from 'ssh2';
import type { ContainerView } from './container.ts';
import type { Bytes } from '../../core/unit-types.ts';

const { STATUS_CODE, OPEN_MODE } = utils.sftp;

type Opened =
  | { readonly kind: 'file'; readonly file: fs.FileHandle }
  | { readonly kind: 'folder'; entries: readonly { readonly name: string; readonly stats: Stats }[] | undefined };

const MAX_OPEN = 256;

const MAX_READ: Bytes = 262_144;

export function serveSftp(sftp: SFTPWrapper, view: ContainerView): void {
  const opened = new Map<number, Opened>();
  let handles = 0;
  const real = (path: string): Promise<string> => view.real(path, { isWrite: false, follow: true });
  const link = (path: string): Promise<string> => view.real(path, { isWrite: false, follow: false });
  const written = (path: string): Promise<string> => view.real(path, { isWrite: true, follow: false });

  /** In order: OpenSSH silently cuts an unfinished upload when answers come in another order. */
  let last: Promise<unknown> = Promise.resolve();
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
  const done = (id: number, work: () => Promise<unknown>): void => {
    inOrder(work).then(
      () => {
        sftp.status(id, STATUS_CODE.OK);
      },
      (error: unknown) => {
        sftp.status(id, statusOf(error), messageOf(error));
      },
    );
  };
  const answer = <T>(id: number, work: () => Promise<T>, send: (value: T) => void): void => {
    inOrder(work).then(send, (error: unknown) => {
      sftp.status(id, statusOf(error), messageOf(error));
    });
  };
  const keep = (id: number, one: Opened): void => {
    handles += 1;
    opened.set(handles, one);
    const handle = Buffer.alloc(4);
    handle.writeUInt32BE(handles);
    sftp.handle(id, handle);
  };
  const at = (handle: Buffer): Opened | undefined =>
    handle.byteLength === 4 ? opened.get(handle.readUInt32BE()) : undefined;
  const fileAt = (handle: Buffer): Promise<fs.FileHandle> => {
    const found = at(handle);
    return found?.kind === 'file' ? Promise.resolve(found.file) : Promise.reject(new Error('no such handle'));
  };

  sftp.on('REALPATH', (id, path) => {
    const filename = view.absolute(path);
    sftp.name(id, [{ filename, longname: filename, attrs: NO_ATTRIBUTES }]);
  });
  sftp.on('STAT', (id, path) => {
    answer(
      id,
      async () => fs.stat(await real(path)),
      (stats) => {
        sftp.attrs(id, attributesOf(stats));
      },
    );
  });
  sftp.on('LSTAT', (id, path) => {
    answer(
      id,
      async () => fs.lstat(await link(path)),
      (stats) => {
        sftp.attrs(id, attributesOf(stats));
      },
    );
  });
  sftp.on('FSTAT', (id, handle) => {
    answer(
      id,
      () => fileAt(handle).then((file) => file.stat()),
      (stats) => {
        sftp.attrs(id, attributesOf(stats));
      },
    );
  });
  sftp.on('OPEN', (id, path, flags, attributes) => {
    if (opened.size >= MAX_OPEN) {
      sftp.status(id, STATUS_CODE.FAILURE, 'too many open files');
      return;
    }
    const { mode = 0o644 } = attributes as { mode?: number };
    answer(
      id,
      async () => fs.open(await view.real(path, howToOpen(flags)), systemFlags(flags), mode & 0o777),
      (file) => {
        keep(id, { kind: 'file', file });
      },
    );
  });
  sftp.on('READ', (id, handle, offset, length) => {
    const buffer = Buffer.alloc(Math.min(length, MAX_READ));
    answer(
      id,
      () => fileAt(handle).then((file) => file.read(buffer, 0, buffer.byteLength, offset)),
      ({ bytesRead }) => {
        if (bytesRead === 0) sftp.status(id, STATUS_CODE.EOF);
        else sftp.data(id, buffer.subarray(0, bytesRead));
      },
    );
  });
  sftp.on('WRITE', (id, handle, offset, data) => {
    done(id, () => fileAt(handle).then((file) => writeAll(file, data, offset)));
  });
  sftp.on('CLOSE', (id, handle) => {
    done(id, async () => {
      const found = at(handle);
      opened.delete(handle.byteLength === 4 ? handle.readUInt32BE() : 0);
      if (found?.kind === 'file') await found.file.close();
    });
  });
  sftp.on('OPENDIR', (id, path) => {
    answer(
      id,
      async () => entriesOf(await real(path)),
      (entries) => {
        keep(id, { kind: 'folder', entries });
      },
    );
  });
  sftp.on('READDIR', (id, handle) => {
    const found = at(handle);
    if (found?.kind !== 'folder' || found.entries === undefined || found.entries.length === 0) {
      sftp.status(id, STATUS_CODE.EOF);
      return;
    }
    const some = found.entries.slice(0, 100);
    found.entries = found.entries.slice(100);
    sftp.name(
      id,
      some.map(({ name, stats }) => ({ filename: name, longname: longName(name, stats), attrs: attributesOf(stats) })),
    );
  });
  sftp.on('SETSTAT', (id, path, attributes) => {
    done(id, async () => setAttributes(await view.real(path, { isWrite: true, follow: true }), attributes));
  });
  sftp.on('FSETSTAT', (id, handle, attributes) => {
    done(id, () => fileAt(handle).then((file) => setOpenAttributes(file, attributes)));
  });
  sftp.on('MKDIR', (id, path) => {
    done(id, async () => fs.mkdir(await written(path)));
  });
  sftp.on('RMDIR', (id, path) => {
    done(id, async () => fs.rmdir(await written(path)));
  });
  sftp.on('REMOVE', (id, path) => {
    done(id, async () => fs.unlink(await written(path)));
  });
  sftp.on('RENAME', (id, from, to) => {
    done(id, async () => fs.rename(await written(from), await written(to)));
  });
  sftp.on('SYMLINK', (id, target, at) => {
    done(id, async () => fs.symlink(target, await written(at)));
  });
  sftp.on('READLINK', (id, path) => {
    answer(
      id,
      async () => fs.readlink(await link(path)),
      (target) => {
        sftp.name(id, [{ filename: target, longname: target, attrs: NO_ATTRIBUTES }]);
      },
    );
  });
  sftp.on('end', () => {
    sftp.end();
  });
  sftp.on('close', () => {
    for (const each of opened.values()) if (each.kind === 'file') void each.file.close().catch(() => undefined);
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

const longName = (name: string, stats: Stats): string =>
  `${stats.isDirectory() ? 'd' : stats.isSymbolicLink() ? 'l' : '-'}${(stats.mode & 0o777).toString(8)} 1 root root ${String(stats.size)} ${stats.mtime.toISOString()} ${name}`;

async function entriesOf(folder: string): Promise<readonly { readonly name: string; readonly stats: Stats }[]> {
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

function statusOf(error: unknown): number {
  switch (errorCode(error)) {
    case 'ENOENT':
      return STATUS_CODE.NO_SUCH_FILE;
    case 'EACCES':
    case 'EPERM':
      return STATUS_CODE.PERMISSION_DENIED;
    default:
      return STATUS_CODE.FAILURE;
  }
}

/** Without the path, which is on this machine. */
const messageOf = (error: unknown): string => errorCode(error) ?? 'failed';
