import type { Failure } from '../../../core/failure.ts';
import type { SortedItems } from '../../../core/ports/files.ts';
import { foldedName } from '../../shared/paths/names.ts';
import type { Copy, End } from './copy.ts';
import type { Bytes, EpochMs } from '../../../core/unit-types.ts';

/** A file of one side of a sync. */
export interface SideFile {
  readonly kind: 'file';
  readonly name: string;
  /** Undefined where the service does not say it. */
  readonly modifiedAt: EpochMs | undefined;
  /** Of a local file. */
  readonly executable?: boolean;
  readonly from: Copy['from'];
}

/** What is in a folder of one side. What is left out is a link, or no regular file. */
export type SideEntry =
  | SideFile
  | { readonly kind: 'folder'; readonly name: string }
  | { readonly kind: 'left-out'; readonly name: string; readonly why: string };

/** One side of a sync. Paths are below its folder; that of a folder ends with a slash, and is empty for the side itself. */
export interface Side {
  readonly kind: 'local' | 'volume';
  /** The entries of a folder in the order of `orderOfName`, whole or an error. Fails where there is no such folder. */
  list(folder: string): Promise<SortedItems<SideEntry>>;
  /** The text of a file with rules. */
  readText(file: SideFile): Promise<string>;
  /** Looks at one file again; undefined where none is there now. */
  look(path: string): Promise<SideFile | undefined>;
  /** Removes a file that is still the one that was seen. Fails with local-file (14) where it was changed since. */
  remove(path: string, seen: SideFile): Promise<void>;
  /** Removes a folder of this machine in which nothing is; does nothing on a volume. */
  removeEmptyFolder(folder: string): Promise<void>;
  end(path: string): End;
  /** A path as messages show it. */
  shown(path: string): string;
}

/** A file to be compared, or what a walk of both sides found in its place. */
export type Difference =
  /** A file of the source, and what is there in its place. `refused` says why it cannot be there. */
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly source: SideFile;
      readonly target: SideFile | undefined;
      readonly refused: string | undefined;
    }
  /** A file that only the target has. */
  | { readonly kind: 'extra'; readonly path: string; readonly target: SideFile }
  | { readonly kind: 'left-out'; readonly path: string; readonly why: string }
  /** A local folder that cannot be read, of either side. Nothing is known about what is in it. */
  | { readonly kind: 'unreadable'; readonly path: string; readonly failure: Failure };

/** Limit for a file with rules. */
export const MAX_RULES_BYTES: Bytes = 1_048_576;

/** The text by which the entries of a folder are sorted: names that are the same on some systems stand together. */
export const orderOfName = (name: string, kind: string): string =>
  `${foldedName(name)}\0${name}\0${kind === 'folder' ? '1' : '0'}`;
