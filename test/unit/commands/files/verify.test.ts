import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

async function start() {
  let onLook = (): void => undefined;
  const { clock, env, volumesFolder } = await remoteService(({ method, url }) =>
    method === 'HEAD' && url.endsWith('/small') ? { first: async () => onLook() } : undefined,
  );
  const cwd = temporaryDirectory();
  mkdirSync(path.join(cwd, 'd'));
  writeFileSync(path.join(cwd, 'd/small'), 'small');
  const run = (line: string) => berth(['files', ...line.split(' ')], { cwd, env, clock });
  await run('ls datasets:');
  const volume = path.join(volumesFolder, readdirSync(volumesFolder)[0] ?? '', 'vol-datasets');
  return {
    run,
    cwd,
    volume,
    setOnLook: (next: typeof onLook) => {
      onLook = next;
    },
  };
}

it('a verified upload is compared with the ETag of what is there', async () => {
  const { run, volume, setOnLook } = await start();
  expect((await run('cp -r d datasets:a --verify')).code).toBe(0);
  let looks = 0;
  // It changes after it was looked for and confirmed.
  setOnLook(() => {
    looks += 1;
    if (looks === 3) writeFileSync(path.join(volume, 'b/small'), 'other');
  });
  const ran = await run('cp -r d datasets:b --verify');
  expect([ran.code, ran.err]).toEqual([14, expect.stringContaining('is not the same as')]);
});
