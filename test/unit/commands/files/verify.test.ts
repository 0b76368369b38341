import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

/** With the same size and time, the service keeps the ETag. Seconds since the epoch. */
const WRITTEN_AT = 1_700_000_000;

it('a download whose content is not that of its ETag is refused with --verify, and not left here', async () => {
  let damage = (): void => undefined;
  const { clock, env, volumesFolder } = await remoteService(({ method, url }) =>
    method === 'GET' && url.endsWith('/file') ? { first: async () => damage() } : undefined,
  );
  const cwd = temporaryDirectory();
  const run = (line: string) => berth(['files', ...line.split(' ')], { cwd, env, clock });
  writeFileSync(path.join(cwd, 'file'), 'right');
  expect((await run('cp file datasets: --verify')).code).toBe(0);
  const onVolume = path.join(volumesFolder, readdirSync(volumesFolder)[0] ?? '', 'vol-datasets/file');
  utimesSync(onVolume, WRITTEN_AT, WRITTEN_AT);
  expect((await run('cp datasets:file good --verify')).code).toBe(0);
  damage = () => {
    writeFileSync(onVolume, 'wrong');
    utimesSync(onVolume, WRITTEN_AT, WRITTEN_AT);
  };
  const ran = await run('cp datasets:file back --verify');
  expect([ran.code, ran.err]).toEqual([14, expect.stringContaining('is not what the volume has')]);
  expect(readdirSync(cwd)).toEqual(['file', 'good']);
});
