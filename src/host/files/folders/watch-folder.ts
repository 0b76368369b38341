import { relative, sep } from 'node:path';
import type { FolderWatching } from '../../../core/context.ts';
import { messageOf } from '../../../core/failure.ts';

/** See `Context.watchFolder`. Resolves when every change is told. */
export async function watchFolder(
  folder: string,
  { isIgnored, onChange, onUnwatched }: FolderWatching,
): Promise<() => Promise<void>> {
  const { watch } = await import('chokidar');
  const watcher = watch(folder, {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path, stats) =>
      path !== folder && stats?.isDirectory() === true && isIgnored(relative(folder, path).split(sep).join('/')),
  });
  watcher.on('all', onChange);
  watcher.on('error', (error) => {
    onUnwatched(messageOf(error));
  });
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  return () => watcher.close();
}
