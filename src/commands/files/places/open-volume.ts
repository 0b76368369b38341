import { numberAt, stringAt } from '../../../core/json.ts';
import { notThere } from './file-failures.ts';
import type { VolumeFile, VolumeFiles } from '../../../core/ports/volume-files.ts';
import { readRow } from '../../../cli/resource/identity/identify.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { idOf } from '../../../output/view.ts';
import { VOLUMES } from '../../shared/collections.ts';
import { isLocalService } from '../../shared/is-local-service.ts';
import type { EpochMs } from '../../../core/unit-types.ts';
import { addressText, folderKey, type VolumeAddress } from './file-address.ts';

/** A volume with its files, and what the service says about its space. */
export interface OpenedVolume {
  readonly word: string;
  readonly files: VolumeFiles;
  /** In GB of 10^9 bytes; undefined where the service does not say it. */
  readonly sizeGb: number | undefined;
  readonly type: string | undefined;
  /**
   * The time now by the clock that the times of its files are of: the service's. The local service keeps them as files of this
   * machine, whose time an advance of its clock does not change.
   */
  readonly now: EpochMs;
}

/** Opens a volume by its id or name. Fails as the lookup of the volume does, and with usage (2) for a wrong `storage-url`. */
export async function openVolumeWithSpace(ctx: CommandContext, word: string): Promise<OpenedVolume> {
  // An address that cannot be used is refused before anything is sent.
  if (!ctx.settings.local) ctx.settings.get('storage-url');
  const { answer } = await readRow(ctx, VOLUMES, word);
  const { value = null } = answer;
  const files = await ctx.volumeFiles({ id: idOf(value), dataCenter: stringAt(value, 'dataCenter') ?? '' });
  // eslint-disable-next-line no-restricted-syntax -- a date, to compare with those of files of this machine
  const now = isLocalService(answer) ? ctx.clock.now() : ctx.serviceNow();
  return { word, files, sizeGb: numberAt(value, 'size'), type: stringAt(value, 'type'), now };
}

/** Opens the files of a volume by its id or name. Fails as the lookup of the volume does. */
export const openVolume = async (ctx: CommandContext, word: string): Promise<VolumeFiles> =>
  (await openVolumeWithSpace(ctx, word)).files;

/** Opens volumes by their words, each of them once. */
export function volumeOpener(ctx: CommandContext): (word: string) => Promise<OpenedVolume> {
  const opened = new Map<string, Promise<OpenedVolume>>();
  return (word) => {
    const volume = opened.get(word) ?? openVolumeWithSpace(ctx, word);
    opened.set(word, volume);
    return volume;
  };
}

/** Yields all files below a folder, in the order of their keys. Each folder is read whole before its first file. */
export async function* filesBelow(volume: VolumeFiles, folder: string): AsyncGenerator<VolumeFile> {
  for await (const entry of await volume.folder(folder)) {
    if (entry.kind === 'file') yield entry.file;
    else yield* filesBelow(volume, entry.key);
  }
}

/** What an address on a volume leads to. */
export type Found =
  { readonly kind: 'file'; readonly file: VolumeFile } | { readonly kind: 'folder'; readonly key: string };

/** Looks at an address. A folder is there where anything is in it. Fails with not-found (4) where neither is. */
export async function findOnVolume(volume: VolumeFiles, address: VolumeAddress): Promise<Found> {
  const found = await lookOnVolume(volume, address);
  if (found === undefined) throw notThere(addressText(address));
  return found;
}

/** Looks at an address; undefined where nothing is there. */
export async function lookOnVolume(volume: VolumeFiles, { path }: VolumeAddress): Promise<Found | undefined> {
  const key = folderKey(path);
  if (path !== '' && !path.endsWith('/')) {
    const file = await volume.find(path);
    if (file !== undefined) return { kind: 'file', file };
  }
  if (path === '') return { kind: 'folder', key };
  return (await volume.isFolder(key)) ? { kind: 'folder', key } : undefined;
}
