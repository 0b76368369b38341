import type { CommandContext } from '../../cli/model/context.ts';
import {
  addressText,
  belowFolder,
  endsWithSlash,
  type FileAddress,
  findOnVolume,
  folderKey,
  notCopyable,
  type OpenedVolume,
  parseFileAddress,
  pathInTarget,
  volumeOpener,
} from './file-address.ts';
import { createFilter, type FileChoice, type Filter } from './filter.ts';
import { localSide, type Side, volumeSide } from './sides.ts';
import { usage } from '../../core/failure.ts';
import { berth, sentence } from '../../core/message.ts';

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

export interface Sync {
  readonly source: Side;
  readonly target: Side;
  readonly filter: Filter;
  /** `linux` for a volume. */
  readonly platform: string;
  /** Undefined where the target is local. */
  readonly volume: OpenedVolume | undefined;
}

type Place = Exclude<FileAddress, { kind: 'stream' }>;

/** Usage (2) for two local folders, a file, or nested folders; not-found (4) for a missing source. */
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

export const isContent = (source: string): boolean => pathInTarget(source, '') === '';

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

/** The target, or a folder in it with the name of the source. */
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

export const shownPlace = (word: string): string => {
  const place = placeOf(word);
  return place.kind === 'volume' ? addressText(place) : place.path;
};
