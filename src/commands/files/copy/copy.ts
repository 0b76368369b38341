import type { Failure } from '../../../core/failure.ts';
import type { VolumeFile, VolumeFiles } from '../../../core/ports/volume-files.ts';
import type { LocalFile } from './transfer/upload.ts';

/** One end of a copy. */
export type End =
  | { readonly kind: 'volume'; readonly name: string; readonly volume: VolumeFiles; readonly key: string }
  | { readonly kind: 'local'; readonly path: string };

/** One file to copy. */
export interface Copy {
  readonly from:
    | (End & { readonly kind: 'volume'; readonly file: VolumeFile })
    | (End & { readonly kind: 'local'; readonly file: LocalFile });
  readonly to: End;
  /** Nothing was at the target when the copy was planned. */
  readonly isNew?: boolean;
  /** Its path below the folder that is copied, where that is asked for. */
  readonly path?: string;
  /** Why it cannot be copied. */
  readonly refused: Failure | undefined;
}
