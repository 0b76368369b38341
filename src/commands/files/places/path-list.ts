import type { RangeFiles } from '../../../core/context.ts';
import { usage } from '../../../core/failure.ts';
import { collectBytes } from '../../../core/files/byte-streams.ts';
import type { Bytes } from '../../../core/unit-types.ts';

/** Limit for a list of paths. */
const MAX_BYTES: Bytes = 64 * 1024 * 1024;

/**
 * Reads a file with a path on each line, below the source; `-` is standard input. Empty lines, and `./` at the beginning, do not
 * count. Fails with usage (2) for a path that leaves the source, and for a file of more than 64 MiB.
 */
export async function readPathList(files: Pick<RangeFiles, 'read'>, path: string): Promise<readonly string[]> {
  const bytes = await collectBytes(files.read(path), MAX_BYTES);
  if (bytes === undefined) throw usage(`${path} is too large for a list of files`, 'Split it.');
  const paths = bytes
    .toString()
    .split(/\r?\n/)
    .map((line) => line.replace(/^(\.\/)+/, ''))
    .filter((line) => line !== '');
  const wrong = paths.find((each) => each.split('/').some((part) => part === '' || part === '.' || part === '..'));
  if (wrong !== undefined) throw usage(`${path} has a line that is no path below the source: ${JSON.stringify(wrong)}`);
  return paths;
}
