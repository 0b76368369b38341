import type { CommandContext } from '../../cli/model/context.ts';
import { VOLUMES } from '../../cli/resource/collections.ts';
import { readRow } from '../../cli/resource/targets.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import type { ResolvedPath, VolumeFile, VolumeFiles } from '../../core/file-ports.ts';
import { stringAt } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { compilePathGlob } from '../../core/patterns.ts';
import { idOf } from '../../output/view.ts';

/** `NAME:PATH`; undefined for local paths: a slash before the colon, or a Windows drive. */
export function splitPlace(text: string): { readonly name: string; readonly path: string } | undefined {
  const colon = text.indexOf(':');
  const isLocal = colon < 0 || /[/\\]/.test(text.slice(0, colon)) || /^[A-Za-z]:[/\\]/.test(text);
  return isLocal ? undefined : { name: text.slice(0, colon), path: text.slice(colon + 1) };
}

export type FileAddress =
  | { readonly kind: 'volume'; readonly volume: string; readonly path: string }
  | { readonly kind: 'local'; readonly path: string }
  | { readonly kind: 'stream' };

/** `path` has no leading slash; empty for the volume itself. */
export type VolumeAddress = Extract<FileAddress, { kind: 'volume' }>;

const FORMS = 'Write VOLUME:PATH for a file on a volume, ./NAME for a local file with a colon in its name.';

/** A slash before the colon, or a Windows drive, is local. Usage (2) for an invalid volume path. */
export function parseFileAddress(text: string): FileAddress {
  if (text === '-') return { kind: 'stream' };
  if (text === '') throw usage('an address is empty', FORMS);
  const place = splitPlace(text);
  if (place === undefined) return { kind: 'local', path: text };
  const { name, path } = place;
  if (name === '') throw usage(`${JSON.stringify(text)} names no volume`, FORMS);
  return { kind: 'volume', volume: name, path: volumePath(path, text) };
}

export const isOnVolume = (text: string | undefined): boolean =>
  text !== undefined && parseFileAddress(text).kind === 'volume';

/** Usage (2) for any other address. */
export function parseVolumeAddress(text: string): VolumeAddress {
  // The volume alone is its complete content.
  const address = parseFileAddress(/^[^:/\\]+$/.test(text) && text !== '-' ? `${text}:` : text);
  if (address.kind !== 'volume') throw usage(`${JSON.stringify(text)} is not on a volume`, FORMS);
  return address;
}

export const addressText = ({ volume, path }: Pick<VolumeAddress, 'volume' | 'path'>): string => `${volume}:${path}`;

/** No leading or double slash. A final slash stays: it marks a folder. */
function volumePath(path: string, text: string): string {
  const key = path.replace(/^\/+/, '').replace(/\/{2,}/g, '/');
  if (key.split('/').some((part) => part === '.' || part === '..') || key.includes('\0'))
    throw usage(`${JSON.stringify(text)} cannot be used: a path on a volume has no "." or ".." between slashes`, FORMS);
  return key;
}

/** With a final slash; empty for the volume itself. */
export const folderKey = (path: string): string => (path === '' || path.endsWith('/') ? path : `${path}/`);

export const notThere = (address: string): Failure =>
  new Failure({ code: 'not-found', exit: EXIT.notFound, message: `${address}: there is no such file or folder` });

/** Nothing there (4), or a pipe or device (2). */
export const notCopyable = (path: string, { kind }: Pick<ResolvedPath, 'kind'>): Failure =>
  kind === 'other'
    ? usage(`${path} is neither a file nor a folder`, 'From a pipe: files cp - VOLUME:PATH.')
    : notThere(path);

export const isFolderFailure = (address: string, hint: Message = 'Add --recursive (-r) for a folder.'): Failure =>
  usage(`${address} is a folder`, hint);

/** Opens each volume once. */
export function volumeOpener(ctx: CommandContext): (word: string) => Promise<VolumeFiles> {
  const opened = new Map<string, Promise<VolumeFiles>>();
  return (word) => {
    const volume = opened.get(word) ?? openVolume(ctx, word);
    opened.set(word, volume);
    return volume;
  };
}

/** Usage (2) for a wrong `storage-url`; else fails as the lookup. */
export async function openVolume(ctx: CommandContext, word: string): Promise<VolumeFiles> {
  // An unusable address is refused before anything is sent.
  if (!ctx.settings.local) ctx.settings.get('storage-url');
  const { value = null } = await readRow(ctx, VOLUMES, word);
  return await ctx.volumeFiles({ id: idOf(value), dataCenter: stringAt(value, 'dataCenter') ?? '' });
}

/** In the order of their keys. */
export async function* filesBelow(volume: VolumeFiles, folder: string): AsyncGenerator<VolumeFile> {
  for await (const entry of volume.list(folder)) if (entry.kind === 'file') yield entry.file;
}

/** What an address on a volume leads to. */
type Found = { readonly kind: 'file'; readonly file: VolumeFile } | { readonly kind: 'folder'; readonly key: string };

/** A folder exists if anything is in it. Not-found (4). */
export async function findOnVolume(volume: VolumeFiles, address: VolumeAddress): Promise<Found> {
  const found = await lookOnVolume(volume, address);
  if (found === undefined) throw notThere(addressText(address));
  return found;
}

export async function lookOnVolume(
  volume: VolumeFiles,
  { path }: Pick<VolumeAddress, 'path'>,
): Promise<Found | undefined> {
  const key = folderKey(path);
  const file = key === path ? undefined : await volume.find(path);
  if (file !== undefined) return { kind: 'file', file };
  return path === '' || (await volume.isFolder(key)) ? { kind: 'folder', key } : undefined;
}

/** `*`, `?`, `[a-c]`, `{a,b}`, `**`; a file of exactly that name wins. Not-found (4) without a match. */
export async function expandPlace(volume: VolumeFiles, address: VolumeAddress): Promise<readonly VolumeAddress[]> {
  const { path } = address;
  const first = path.search(/[*?[{]/);
  if (first < 0 || (await lookOnVolume(volume, address)) !== undefined) return [address];
  const ends = path.endsWith('/') ? '/' : '';
  const pattern = ends === '' ? path : path.slice(0, -1);
  const isDeep = /\*\*|\{[^}]*\//.test(pattern);
  const parts = pattern.split('/');
  const found = new Set<string>();
  const search = async (within: string): Promise<void> => {
    const level = within.split('/').length;
    const isLast = isDeep || level === parts.length;
    const matches = compilePathGlob(isLast ? pattern : parts.slice(0, level).join('/'), addressText(address));
    for await (const { kind, key } of volume.list(within, !isDeep)) {
      const isFolder = kind === 'folder';
      if (!matches(isFolder ? key.slice(0, -1) : key)) continue;
      if (!isLast) {
        if (isFolder) await search(key);
      } else if (isFolder ? !isDeep : ends === '') found.add(isFolder && ends === '' ? key.slice(0, -1) : key);
    }
  };
  await search(path.slice(0, path.lastIndexOf('/', first) + 1));
  if (found.size === 0) throw notThere(addressText(address));
  return [...found].sort().map((key) => ({ ...address, path: key }));
}
