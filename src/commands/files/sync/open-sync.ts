import { usage } from '../../../core/failure.ts';
import { berth, sentence } from '../../../core/message.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { belowFolder, endsWithSlash, pathInTarget } from '../../shared/paths/slashes.ts';
import { addressText, folderKey, parseFileAddress, type FileAddress } from '../places/file-address.ts';
import { notCopyable } from '../places/file-failures.ts';
import { findOnVolume, volumeOpener, type OpenedVolume } from '../places/open-volume.ts';
import { createFilter, type FileChoice, type Filter } from '../copy/filter.ts';
import { localSide } from '../copy/local-side.ts';
import type { Side } from '../copy/sides.ts';
import { volumeSide } from '../copy/volume-side.ts';

/** What `files sync` was asked for. */
export interface SyncValues extends FileChoice {
  readonly source: string;
  readonly target: string;
  readonly checksum: boolean;
  readonly delete: boolean;
  readonly allowEmpty: boolean;
  readonly ignoreFile: readonly string[];
  readonly followLinks: boolean;
  readonly verify: boolean;
}

/** Two folders to be made alike. */
export interface Sync {
  readonly source: Side;
  readonly target: Side;
  readonly filter: Filter;
  /** The platform of the machine that has the target; `linux` for a volume. */
  readonly platform: string;
  /** The volume that is written to; undefined where the target is local. */
  readonly volume: OpenedVolume | undefined;
}

type Place = Exclude<FileAddress, { kind: 'stream' }>;

/**
 * Opens both sides. Fails with usage (2) for two local folders, for a file, and for one folder that is in the other; with
 * not-found (4) for a source that is not there.
 */
export async function openSync(ctx: CommandContext, values: SyncValues): Promise<Sync> {
  const [from, to] = [placeOf(values.source), placeOf(values.target)];
  if (from.kind === 'local' && to.kind === 'local')
    throw usage('none of the places is on a volume', 'Write VOLUME:PATH for a folder on a volume.');
  const files = await ctx.durable();
  const open = volumeOpener(ctx);
  const { followLinks } = values;
  const filter = await createFilter(values);
  const inTarget = to.kind === 'local' ? localFolder(to.path, from) : volumeFolder(to.path, from);

  let source: Side;
  let sourceId: string | undefined;
  if (from.kind === 'local') {
    const found = await files.resolve(from.path);
    if (found.kind === 'file') throw isFile(values);
    if (found.kind !== 'directory') throw notCopyable(from.path, found);
    source = localSide(files, from.path, { followLinks, mayMiss: false });
  } else {
    const volume = await open(from.volume);
    sourceId = volume.files.id;
    const found = await findOnVolume(volume.files, from);
    if (found.kind === 'file') throw isFile(values);
    source = volumeSide(volume.files, from.volume, found.key);
  }
  if (to.kind === 'local')
    return {
      source,
      target: localSide(files, inTarget, { followLinks: false, mayMiss: true }),
      filter,
      platform: ctx.platform,
      volume: undefined,
    };
  const volume = await open(to.volume);
  const ofSource = from.kind === 'volume' ? folderKey(from.path) : '';
  if (sourceId === volume.files.id && (ofSource.startsWith(inTarget) || inTarget.startsWith(ofSource)))
    throw usage('one of the folders is in the other, or they are the same');
  return {
    source,
    target: volumeSide(volume.files, to.volume, inTarget),
    filter,
    platform: 'linux',
    volume,
  };
}

/** Whether a source means what is in it, not the folder itself. */
export const isContent = (source: string): boolean => pathInTarget(source, '') === '';

/** What a slash at the end of the source means, said with the folders at hand. */
export function meaningOfSlash({ source }: SyncValues, { target }: Pick<Sync, 'target'>): string {
  const into = target.shown('');
  return isContent(source)
    ? `${source} means what is in it: that goes to ${into}`
    : `${source} means the folder itself: it goes to ${into}${into.endsWith('/') ? '' : '/'}. For what is in it, write ${source}/`;
}

function placeOf(word: string): Place {
  const place = parseFileAddress(word);
  if (place.kind === 'stream') throw usage('- is no folder', 'Write VOLUME:PATH, or a local path.');
  return place;
}

/** The folder that becomes like the source: the target, or a folder in it with the name of the source. */
const localFolder = (path: string, source: Place): string => {
  const rest = pathInTarget(source.path, '');
  return rest === '' ? path : belowFolder(path, rest.slice(0, -1));
};

const volumeFolder = (path: string, source: Place): string => `${folderKey(path)}${pathInTarget(source.path, '')}`;

const isFile = ({ source, target }: SyncValues) =>
  usage(
    `${source} is a file${endsWithSlash(source) ? ', not a folder' : ''}`,
    sentence`Copy it: ${berth`files cp ${source} ${target}`}`,
  );

/** The address of a place, for messages. */
export const shownPlace = (word: string): string => {
  const place = placeOf(word);
  return place.kind === 'volume' ? addressText(place) : place.path;
};
