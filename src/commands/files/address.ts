import type { CommandContext } from '../../cli/model/context.ts';
import { VOLUMES } from '../../cli/resource/collections.ts';
import { readRow } from '../../cli/resource/targets.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import type { VolumeFile, VolumeFiles } from '../../core/file-ports.ts';
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

/** `path` has no leading slash; empty for the volume itself. */
export interface VolumeAddress {
  readonly kind: 'volume';
  readonly volume: string;
  readonly path: string;
}

export type Place = VolumeAddress | { readonly kind: 'local'; readonly path: string };

const FORMS = 'Write VOLUME:PATH for a file on a volume, ./NAME for a local file with a colon in its name.';

/** Usage (2) for `-`, and for an invalid volume path. */
export function parsePlace(text: string): Place {
  if (text === '-') throw usage('cannot copy to or from "-"', 'Name a file; files cat prints one.');
  if (text === '') throw usage('an address is empty', FORMS);
  const place = splitPlace(text);
  if (place === undefined) return { kind: 'local', path: text };
  if (place.name === '') throw usage(`${JSON.stringify(text)} names no volume`, FORMS);
  // A final slash stays: it marks a folder.
  const path = place.path.replace(/^\/+/, '').replace(/\/{2,}/g, '/');
  if (path.split('/').some((part) => part === '.' || part === '..') || path.includes('\0'))
    throw usage(`${JSON.stringify(text)} cannot be used: a path on a volume has no "." or ".." between slashes`, FORMS);
  return { kind: 'volume', volume: place.name, path };
}

export const isOnVolume = (text = ''): boolean => splitPlace(text) !== undefined;

/** Usage (2) for any other place. The volume alone is its complete content. */
export function parseVolumeAddress(text: string): VolumeAddress {
  const place = parsePlace(/^[^:/\\]+$/.test(text) && text !== '-' ? `${text}:` : text);
  if (place.kind !== 'volume') throw usage(`${JSON.stringify(text)} is not on a volume`, FORMS);
  return place;
}

export const addressText = ({ volume, path }: Pick<VolumeAddress, 'volume' | 'path'>): string => `${volume}:${path}`;

/** With a final slash; empty for the volume itself. */
export const folderKey = (path: string): string => (path === '' || path.endsWith('/') ? path : `${path}/`);

export const notThere = (address: string): Failure =>
  new Failure({ code: 'not-found', exit: EXIT.notFound, message: `${address}: there is no such file or folder` });

export const isFolderFailure = (address: string, hint: Message = 'Add --recursive (-r) for a folder.'): Failure =>
  usage(`${address} is a folder`, hint);

/** Opens each volume once. Usage (2) for a wrong `storage-url`; else fails as the lookup. */
export function volumeOpener(ctx: CommandContext): (word: string) => Promise<VolumeFiles> {
  const opened = new Map<string, Promise<VolumeFiles>>();
  const open = async (word: string): Promise<VolumeFiles> => {
    // An unusable address is refused before anything is sent.
    if (!ctx.settings.local) ctx.settings.get('storage-url');
    const { value = null } = await readRow(ctx, VOLUMES, word);
    return await ctx.volumeFiles({ id: idOf(value), dataCenter: stringAt(value, 'dataCenter') ?? '' });
  };
  return (word) => {
    const volume = opened.get(word) ?? open(word);
    opened.set(word, volume);
    return volume;
  };
}

/** What an address on a volume leads to. */
type Found = { readonly kind: 'file'; readonly file: VolumeFile } | { readonly kind: 'folder'; readonly key: string };

/** A file, a folder, or the files that match a pattern: `*`, `?`, `[a-c]`, `{a,b}`, `**`. Not-found (4) without any. */
export async function findAll(volume: VolumeFiles, address: VolumeAddress): Promise<readonly Found[]> {
  const { path } = address;
  const key = folderKey(path);
  const file = key === path ? undefined : await volume.find(path);
  if (file !== undefined) return [{ kind: 'file', file }];
  // A folder exists if anything is in it.
  if (path === '' || (await volume.isFolder(key))) return [{ kind: 'folder', key }];
  const first = path.search(/[*?[{]/);
  const files: Found[] = [];
  if (first >= 0) {
    const matches = compilePathGlob(path);
    for await (const file of filesOf(volume, { kind: 'folder', key: path.slice(0, path.lastIndexOf('/', first) + 1) }))
      if (matches(file.key)) files.push({ kind: 'file', file });
  }
  if (files.length === 0) throw notThere(addressText(address));
  return files;
}

/** In the order of their keys. */
export async function* filesOf(volume: VolumeFiles, found: Found): AsyncGenerator<VolumeFile> {
  if (found.kind === 'file') yield found.file;
  else for await (const entry of volume.list(found.key)) if (entry.kind === 'file') yield entry.file;
}
