import type { DurableFiles, FolderEntry } from '../../core/context.ts';
import { localFile, usage } from '../../core/failure.ts';
import { compilePathGlob } from '../../core/patterns.ts';
import { compareBytes } from '../../core/text.ts';

export interface InputPorts {
  readonly durable: DurableFiles;
  readonly signal: AbortSignal;
}

/** With its name in messages: as it was given where it was named by itself. */
export interface FoundInput {
  readonly path: string;
  readonly name: string;
}

/** In the order given. Fails with usage (2) without a match or for duplicates, local-file (14) for a missing file. */
export async function findInputs(ports: InputPorts, patterns: readonly string[]): Promise<readonly FoundInput[]> {
  const found: FoundInput[] = [];
  for (const pattern of patterns) found.push(...(await findPattern(ports, pattern)));
  const paths = new Set<string>();
  for (const { path } of found) {
    if (paths.has(path)) throw usage(`--input names ${path} twice`, 'Its items would be sent twice.');
    paths.add(path);
  }
  return found;
}

/** A backslash counts too: it takes the next character as it is. */
const WILDCARD = /[*?[{\\]/;

async function findPattern({ durable, signal }: InputPorts, pattern: string): Promise<readonly FoundInput[]> {
  if (pattern === '-') throw usage('use either "-" (stdin) or input files, not both');
  if (pattern === '') throw usage('--input is not the name of a file', 'Name a file, or a glob in quotes.');
  const isFolder = pattern.endsWith('/');
  const path = durable.absolute(pattern) + (isFolder ? '/' : '');
  if (!isFolder && (await durable.describe(path)) !== undefined) return [{ path, name: pattern }];
  const wildcard = path.search(WILDCARD);
  if (!isFolder && wildcard < 0)
    throw (await durable.resolve(pattern)).kind === 'directory'
      ? localFile(`cannot read ${pattern}: it is a folder`, `For all files in it: --input ${pattern}/`)
      : localFile(`cannot read ${pattern}: it does not exist`, 'Check its name.');
  const matches = wildcard < 0 ? () => true : compilePathGlob(path);
  const found: FoundInput[] = [];
  for await (const name of filesBelow(durable, wildcard < 0 ? path : path.slice(0, wildcard), signal))
    if (matches(name) && (await durable.describe(name)) !== undefined) found.push({ path: name, name });
  if (found.length === 0) throw usage(`--input ${pattern} matches nothing`, 'Quote a glob for the shell.');
  return found;
}

/** Paths that begin with a prefix, in the order of their bytes. */
async function* filesBelow(files: DurableFiles, prefix: string, signal: AbortSignal): AsyncGenerator<string> {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  signal.throwIfAborted();
  // As complete paths compare: all that is in a folder begins with its name and a slash.
  const sortName = ({ name, kind }: FolderEntry): string => (kind === 'folder' ? `${name}/` : name);
  const entries = await files.entries(folder);
  for (const entry of entries.toSorted((one, other) => compareBytes(sortName(one), sortName(other)))) {
    const path = `${folder}${sortName(entry)}`;
    if (!path.startsWith(prefix)) continue;
    if (entry.kind === 'file') yield path;
    if (entry.kind === 'folder') yield* filesBelow(files, path, signal);
  }
}

/** Stdin, a pipe or a device: it must be copied. */
export async function readOnceInput(
  { resolve }: Pick<DurableFiles, 'resolve'>,
  [input = '', ...others]: readonly string[],
): Promise<string | undefined> {
  if (others.length > 0 || input === '') return undefined;
  return input === '-' || (await resolve(input)).kind === 'other' ? input : undefined;
}

/** Reading a large input can take long. Fails with the signal's reason, and as reading does. */
export async function* readUntilAborted({ durable, signal }: InputPorts, path: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of durable.read(path)) {
    signal.throwIfAborted();
    yield chunk;
  }
}
