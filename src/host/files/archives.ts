import { promises as fs } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { Header, Pax, Unpack, type HeaderData, type ReadEntry } from 'tar';
import type { ArchiveInput, Archives, EntryChecks } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, localFile, messageOf } from '../../core/failure.ts';
import { errorCode, errorHint, errorReason } from '../../core/files.ts';
import type { Bytes } from '../../core/unit-types.ts';
import { contentsOf } from './folders.ts';
import { ifExists, wrapErrors } from './user-files.ts';

type Entry = Parameters<EntryChecks['takes']>[0];

/** Packs and unpacks files of this machine; `absolute` makes paths absolute. */
export const openArchives = (absolute: (path: string) => string): Archives => ({
  pack: (path, mark, checks, gitignore) => packed(path, absolute(path), mark, checks, gitignore),
  unpack: (target, options) => unpackInto(target, absolute(target), options),
});

async function* packed(
  shown: string,
  path: string,
  mark: string,
  checks: EntryChecks,
  gitignore = false,
): AsyncGenerator<Uint8Array> {
  try {
    const stats = await fs.stat(path);
    // Only what was named is followed: a link in a folder stays one.
    const root = stats.isDirectory() ? await fs.realpath(path) : path;
    const kind = stats.isDirectory() ? 'folder' : 'file';
    const rules = gitignore ? ignore({ ignorecase: false }) : undefined;
    yield* entriesOf(root, { path: basename(root), kind, bytes: stats.size }, checks, rules);
    // An empty file is the last one: tar takes an archive that was cut between two entries for complete.
    yield headerOf({ path: mark, type: 'File', size: 0, mode: 0o600, mtime: stats.mtime });
    yield Buffer.alloc(1024);
  } catch (error) {
    const at = error instanceof Error && 'path' in error ? String(error.path) : shown;
    throw error instanceof Failure
      ? error
      : localFile(`cannot read ${at}: ${errorReason(error)}`, errorHint(error), error);
  }
}

/** Packs an entry, and what is in it; `at` is its path here. Not by the package's own packer, which fails for a file that grows. */
async function* entriesOf(at: string, entry: Entry, checks: EntryChecks, rules?: Ignore): AsyncGenerator<Uint8Array> {
  if (!checks.takes(entry)) return;
  const { path, kind } = entry;
  const file = kind === 'file' ? await fs.open(at) : undefined;
  try {
    const { mode, mtime, size } = await (file?.stat() ?? fs.lstat(at));
    if (kind === 'folder') yield headerOf({ path: `${path}/`, type: 'Directory', size: 0, mode, mtime });
    else if (file === undefined)
      yield headerOf({ path, type: 'SymbolicLink', size: 0, mode, mtime, linkpath: await fs.readlink(at) });
    else {
      yield headerOf({ path, type: 'File', size, mode, mtime });
      let left = size;
      for await (const chunk of size === 0 ? [] : file.createReadStream({ end: size - 1, autoClose: false })) {
        left -= (chunk as Buffer).byteLength;
        yield chunk as Buffer;
      }
      if (left > 0) throw localFile(`${at} became shorter while it was read`, 'Copy it when nothing writes to it.');
      if ((await file.stat()).size > size) checks.grew(path);
      yield Buffer.alloc((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES);
    }
  } finally {
    await file?.close();
  }
  if (kind !== 'folder') return;
  const folder = `${path}/`.replace(/^[^/]*\//, '');
  const lines = rules && (await ifExists(() => fs.readFile(join(at, '.gitignore'), 'utf8')))?.split(/\r?\n/);
  rules?.add(lines?.flatMap((line) => ruleBelow(folder, line)) ?? []);
  for await (const { name, kind, bytes } of contentsOf(at, false))
    if (!rules || (name !== '.git' && !rules.ignores(`${folder}${name}${kind === 'folder' ? '/' : ''}`)))
      yield* entriesOf(join(at, name), { path: `${path}/${name}`, kind, bytes }, checks, rules);
}

/** A line of the .gitignore of a folder, as one of the folder at the top. */
function ruleBelow(folder: string, line: string): readonly string[] {
  const [, not = '', start = '', pattern] = /^(?!#)(!?)(\/?)(\S.*)$/.exec(line) ?? [];
  if (pattern === undefined) return [];
  const isAnywhere = start === '' && !/\/./.test(pattern);
  return [`${not}/${folder.replace(/[\\*?[\]!# ]/g, '\\$&')}${isAnywhere ? '**/' : ''}${pattern}`];
}

const BLOCK_BYTES: Bytes = 512;

/** The blocks before the content of an entry: with one more entry where its name is long or it is large. */
function headerOf(data: Pick<HeaderData, 'path' | 'type' | 'size' | 'mode' | 'mtime' | 'linkpath'>): Uint8Array {
  const header = new Header({ ...data, path: `./${data.path ?? ''}`, mode: (data.mode ?? 0) & 0o7777 });
  const isLong = header.encode();
  return Buffer.concat([...(isLong ? [new Pax(header).encode()] : []), header.block ?? Buffer.alloc(0)]);
}

const FILES: readonly string[] = ['File', 'OldFile', 'ContiguousFile', 'Link'];

/** What the archive calls `./a/b/` is `a/b` here. The other types are devices, pipes and what tar does not know. */
const namesOf = ({ path, type, size }: ReadEntry): Entry => ({
  path: path.replace(/^(\.\/)+/, '').replace(/\/$/, ''),
  kind: FILES.includes(type) ? 'file' : type === 'Directory' ? 'folder' : type === 'SymbolicLink' ? 'link' : 'other',
  bytes: size,
});

/** Codes of the system for names that a file system cannot have. */
const BAD_NAME = ['ENAMETOOLONG', 'EILSEQ', 'EINVAL'];

function unpackInto(
  shown: string,
  target: string,
  { mark, into, name, ...checks }: Parameters<Archives['unpack']>[1],
): ArchiveInput {
  const isFolder = async (path: string): Promise<boolean> =>
    (await ifExists(async () => fs.stat(path)))?.isDirectory() === true;
  let temporary = '';
  const make = async (): Promise<void> => {
    // Beside what it becomes: the folder may be a disk of its own.
    temporary = join((await isFolder(target)) ? target : dirname(target), mark);
    await fs.mkdir(dirname(temporary), { recursive: true });
    await fs.mkdir(temporary, { mode: 0o700 });
  };
  const links: (readonly [path: string, to: string])[] = [];
  let failed: Failure | undefined;
  const open = (): { readonly unpack: Unpack; readonly ended: Promise<void> } => {
    const unpack = new Unpack({
      cwd: temporary,
      preserveOwner: false,
      brotli: false,
      filter: (_, entry) => {
        if (!('path' in entry) || !checks.takes(namesOf(entry))) return false;
        entry.mode = (entry.mode ?? 0o600) & 0o777;
        if (entry.type === 'SymbolicLink') links.push([namesOf(entry).path, entry.linkpath ?? '']);
        return entry.type !== 'SymbolicLink';
      },
      onwarn: (code, message, data) => {
        if (code === 'TAR_ENTRY_INFO') return;
        const { entry } = data as { readonly entry?: ReadEntry };
        const isOfName = !(data instanceof Error) || BAD_NAME.includes(errorCode(data) ?? '');
        if (isOfName && code !== 'TAR_ENTRY_INVALID' && entry !== undefined) checks.fails(namesOf(entry).path, message);
        else failed ??= localFile(`cannot write ${shown}: ${data instanceof Error ? errorReason(data) : message}`);
      },
    });
    const ended = new Promise<void>((resolve) => {
      unpack.on('end', resolve);
      unpack.on('error', (error: unknown) => {
        const message = `what arrives is not an archive: ${messageOf(error)}`;
        const hint = 'One cause is a shell that prints text when it starts.';
        failed ??= new Failure({ code: 'not-an-archive', exit: EXIT.unavailable, message, hint });
        resolve();
      });
    });
    return { unpack, ended };
  };
  let opened: Promise<ReturnType<typeof open>> | undefined;
  const whenOpen = () => (opened ??= wrapErrors(`cannot write ${shown}`, make).then(open));
  const check = (): void => {
    if (failed !== undefined) throw failed;
  };
  const arrived = async (): Promise<void> => {
    const { unpack, ended } = await whenOpen();
    unpack.end();
    await ended;
    check();
    // After all files, so that nothing is written through one; the deepest first, so that none is made through one.
    for (const [path, to] of links.sort(([one], [other]) => other.split('/').length - one.split('/').length))
      await fs
        .mkdir(dirname(join(temporary, path)), { recursive: true })
        .then(() => fs.symlink(to, join(temporary, path)))
        .catch((error: unknown) => {
          checks.fails(path, errorReason(error));
        });
    const [top, ...others] = await fs.readdir(temporary);
    if (top === undefined) return;
    if (others.length > 0) throw localFile(`cannot write ${shown}: the archive has more than one file or folder`);
    const isFile = !(await fs.lstat(join(temporary, top))).isDirectory();
    if (into === 'always' || (into === 'file' && isFile)) await fs.mkdir(target, { recursive: true });
    const at = (await isFolder(target)) ? await fs.realpath(target) : target;
    const keepsName = into === 'always' || (isFile && (await isFolder(target)));
    await put(join(temporary, top), keepsName ? join(at, name) : at);
  };
  const remove = (): Promise<void> => fs.rm(temporary, { recursive: true, force: true });
  return {
    write: async (bytes) => {
      const { unpack, ended } = await whenOpen();
      const isTaken = unpack.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      if (!isTaken) await Promise.race([ended, new Promise((resolve) => unpack.once('drain', resolve))]);
      check();
    },
    finish: () =>
      wrapErrors(`cannot write ${shown}`, async () => {
        try {
          await arrived();
        } finally {
          await remove();
        }
      }),
    discard: async () => {
      const unfinished = await opened?.catch(() => undefined);
      unfinished?.unpack.abort(new Error('it was cut'));
      if (unfinished !== undefined) await remove();
    },
  };
}

/** Renames what is there to its place; a folder joins the one that is there. Links there are replaced, never followed. */
async function put(from: string, to: string): Promise<void> {
  const [source, target] = [await fs.lstat(from), await ifExists(async () => fs.lstat(to))];
  if (source.isDirectory() && target?.isDirectory() === true) {
    for (const name of await fs.readdir(from)) await put(join(from, name), join(to, name));
    return;
  }
  if (target?.isDirectory() === true) throw localFile(`${to} is a folder`);
  if (target !== undefined && source.isDirectory()) throw localFile(`${to} is not a folder`);
  if (target?.isFile() === false && !target.isSymbolicLink()) throw localFile(`${to} is not a regular file`);
  await fs.rename(from, to);
}
