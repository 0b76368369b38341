import type { Context } from '../../core/context.ts';
import { stringAt, type Json } from '../../core/json.ts';
import type { ListRow } from '../../core/ports/remembered.ts';
import type { VolumeEntry } from '../../core/ports/volume-files.ts';
import { formatBytes } from '../../core/units.ts';
import type { Candidate, ListSource } from '../model/completion-sources.ts';
import { candidatesOf, rowsOf, type CompletionPorts } from './live.ts';
import type { CompletionTree } from './tree.ts';
import { MAX_ROWS, offered, rowsOfList } from './renew.ts';

/** What the names of the lists of folders on volumes begin with; `VOLUME:FOLDER` follows. */
const LIST = 'volume-path ';

/** The list of the service that has the volumes. */
const VOLUMES = 'volume';

/** `VOLUME:FOLDER` of a list of a folder; undefined for any other list. */
export const folderOfList = (list: string): string | undefined =>
  list.startsWith(LIST) ? list.slice(LIST.length) : undefined;

/** What may follow a word that names a place on a volume. */
export interface VolumePaths {
  readonly words: readonly Candidate[];
  /** True where the files of this machine belong to the words, and none of the words is meant. */
  readonly onlyFiles: boolean;
}

/**
 * The places that a word may become: a volume with its colon, or what is in the folder of the volume up to the last slash of the
 * word. `withFiles` adds the names in the working directory. Empty where the service does not answer in time.
 */
export async function volumePaths(typed: string, ports: CompletionPorts, withFiles: boolean): Promise<VolumePaths> {
  const colon = typed.indexOf(':');
  // As an address is read: a slash before the colon, and a drive of Windows, are local.
  if (/^[^:]*[/\\]/.test(typed) || /^[A-Za-z]:[/\\]/.test(typed)) return { words: [], onlyFiles: withFiles };
  if (colon >= 0) {
    const end = Math.max(colon, typed.lastIndexOf('/')) + 1;
    const folder = typed.slice(colon + 1, end).replace(/^\/+/, '');
    const rows = await rowsOf(`${LIST}${typed.slice(0, colon)}:${folder}`, ports);
    const words = rows.map(({ value, description }) => ({ value: typed.slice(0, end) + value, description }));
    return { words, onlyFiles: false };
  }
  const volumes = candidatesOf(await rowsOf(VOLUMES, ports))
    .filter(({ value }) => !/[:/\\]/.test(value))
    .map(({ value, description }) => ({ value: `${value}:`, description }));
  if (!withFiles) return { words: volumes, onlyFiles: false };
  // The shell completes files better, where nothing else may be meant.
  const isMeant = volumes.some(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase()));
  return { words: isMeant ? [...volumes, ...(await localNames(typed, ports))] : [], onlyFiles: !isMeant };
}

/** The names in the working directory; hidden ones where the word begins with a dot. One with a colon would be read as a volume. */
async function localNames(typed: string, { entries }: CompletionPorts): Promise<readonly Candidate[]> {
  const found = await entries('.').catch(() => []);
  return found
    .filter(({ name }) => offered(name) !== '' && !name.includes(':') && name.startsWith('.') === typed.startsWith('.'))
    .map(({ name, kind }) => ({ value: kind === 'folder' ? `${name}/` : name, description: '' }));
}

/**
 * Reads what is in a folder of a volume, `VOLUME:FOLDER`, and keeps it for completion: all of it or nothing. Does nothing where the
 * account has no such volume. Fails as the requests do, and where the folder has more than can be offered.
 */
export async function renewFolder(context: Context, folder: string, sources: CompletionTree['lists']): Promise<void> {
  const { settings, lists } = context;
  if (!settings.local && (await settings.key()) === undefined) return;
  const colon = folder.indexOf(':');
  const [word, prefix] = [folder.slice(0, colon), folder.slice(colon + 1)];
  const source = sources[VOLUMES];
  const row = source === undefined ? undefined : await volumeOf(context, word, source);
  if (row === undefined) return;
  const volume = await context.volumeFiles({
    id: stringAt(row, 'id') ?? '',
    dataCenter: stringAt(row, 'dataCenter') ?? '',
  });
  const rows: ListRow[] = [];
  const orderOf = ({ kind, key }: VolumeEntry): string => `${kind === 'folder' ? '0' : '1'}${key}`;
  for await (const entry of await volume.folder(prefix, { orderOf, atMost: MAX_ROWS })) {
    const description = entry.kind === 'file' ? formatBytes(entry.file.bytes) : '';
    rows.push({ value: offered(entry.key.slice(prefix.length)), name: '', description });
  }
  await lists.write(
    `${LIST}${folder}`,
    rows.filter(({ value }) => value !== ''),
  );
}

/** The volume with an id, or the only one with a name. */
async function volumeOf({ api }: Context, word: string, source: ListSource): Promise<Json | undefined> {
  const named: Json[] = [];
  for await (const row of rowsOfList(api, source)) {
    if (stringAt(row, 'id') === word) return row;
    if (stringAt(row, 'name') === word) named.push(row);
  }
  return named.length === 1 ? named[0] : undefined;
}
