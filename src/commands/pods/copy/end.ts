import type { RangeFiles, TreeEntry } from '../../../core/context.ts';
import type { PodEntry } from '../reach/files/pod-entry.ts';
import type { PodFiles } from '../reach/files/pod-files.ts';

/** What copies of both kinds of places know of an entry. */
export type Entry = Pick<TreeEntry | PodEntry, 'name' | 'kind' | 'bytes' | 'modifiedAt'>;

/** Where files are copied from or to: a pod, or this machine. */
export type End =
  | { readonly kind: 'pod'; readonly word: string; readonly files: PodFiles }
  | { readonly kind: 'local'; readonly files: RangeFiles };

/** What is at a path; a link where one is, unless it is followed. */
export const lookAt = ({ kind, files }: End, path: string, followLink: boolean): Promise<Entry | undefined> =>
  kind === 'pod' ? files.look(path, followLink) : files.lookAt(path, followLink);

/** The entries of a folder, by name. */
export async function entriesOf({ kind, files }: End, folder: string): Promise<readonly Entry[]> {
  if (kind === 'pod') return await files.list(folder);
  const entries: Entry[] = [];
  for await (const entry of files.contents(folder, false)) entries.push(entry);
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

export const shown = (end: End, path: string): string => (end.kind === 'pod' ? `${end.word}:${path}` : path);
