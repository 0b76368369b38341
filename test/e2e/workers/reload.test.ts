import { symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { canTestWorkers, folderWith, serveLocal, until } from './support.ts';

const answering = (text: string): string => `def handler(job):\n    return ${JSON.stringify(text)}\n`;

test.skipIf(!canTestWorkers)(
  '--reload beside a link to the root directory serves, sees changes and ends with SIGTERM',
  async () => {
    const folder = await folderWith({ 'worker.py': answering('before') });
    symlinkSync('/', folder.at('root'));
    symlinkSync(folder.path, folder.at('circle'));
    // The state and the lines of the workers are written to the folder that is watched.
    const served = await serveLocal(folder, ['--endpoint', 'up=worker.py', '--reload', '--state', 'state.json']);
    const answer = async (): Promise<unknown> => {
      const { id } = await served.run('up', {});
      await until(async () => (await served.status('up', id)).status === 'COMPLETED');
      return (await served.status('up', id)).output;
    };
    expect(await answer()).toBe('before');
    expect(served.stderr()).not.toContain('has changed');
    folder.write('worker.py', answering('after'));
    await until(async () => (await answer()) === 'after');
    expect(served.stderr().match(/has changed/g)).toHaveLength(1);
    expect(served.stderr()).not.toContain('Not every file');
    await served.end('SIGTERM');
  },
);
