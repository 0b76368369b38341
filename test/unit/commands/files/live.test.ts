import { appendFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createAutoAdvancingClock } from '../../../support/clocks/auto-advancing-clock.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

/** A volume and a folder, with a file `log` at one of them that changes when it is first sent or read. */
async function start(direction: 'up' | 'down', content: string, change: (log: string) => void) {
  let isChanged = false;
  const { clock, env, volumesFolder } = await remoteService(({ method, url }) =>
    isChanged || method !== (direction === 'up' ? 'PUT' : 'GET') || !/\/log(\?partNumber|$)/.test(url)
      ? undefined
      : {
          first: async () => {
            isChanged = true;
            change(path.join(source, 'log'));
          },
        },
  );
  const cwd = temporaryDirectory();
  const run = (line: string) => berth(['files', ...line.split(' ')], { cwd, env, clock });
  await run('ls datasets:');
  const [here, there] = [
    path.join(cwd, 'd'),
    path.join(volumesFolder, readdirSync(volumesFolder)[0] ?? '', 'vol-datasets'),
  ];
  const [source, target] = direction === 'up' ? [here, there] : [there, here];
  for (const folder of [source, target]) mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(source, 'log'), content);
  return { run, source, target, places: direction === 'up' ? 'd/ datasets:' : 'datasets: d/' };
}

const SIZES = [
  ['up', 'cp -r', 1000],
  ['down', 'sync --verify', 17 * 2 ** 20],
] as const;

it.each(SIZES)('a log that grows (%s, %s, %i bytes) is copied as of its size at the start', async (...given) => {
  const [direction, verb, bytes] = given;
  const { run, target, places } = await start(direction, 'x'.repeat(bytes), (log) => {
    appendFileSync(log, 'more');
  });
  const ran = await run(`${verb} ${places}`);
  expect(ran.code, ran.err).toBe(0);
  expect(readFileSync(path.join(target, 'log'), 'utf8')).toBe('x'.repeat(bytes));
  expect((await run(`sync ${places}`)).code).toBe(0);
  expect(readFileSync(path.join(target, 'log'), 'utf8').length).toBe(bytes + 4);
});

it.each(SIZES)('a file that shrinks (%s, %s, %i bytes) fails by name', async (direction, verb, bytes) => {
  const { run, places } = await start(direction, 'x'.repeat(bytes), (log) => {
    truncateSync(log, 10);
  });
  const ran = await run(`${verb} ${places}`);
  expect([ran.code, ran.err]).toEqual([14, expect.stringMatching(/log .*(shorter|changed)/)]);
});

it('a file that was written anew between the listing and its copy is copied as it is then', async () => {
  const { run, source, target, places } = await start('up', 'x', () => {
    writeFileSync(path.join(source, 'other'), 'new'.repeat(500));
  });
  writeFileSync(path.join(source, 'other'), 'old');
  for (let count = 0; count < 200; count++) writeFileSync(path.join(source, `m${String(count)}`), String(count));
  expect((await run(`cp -r ${places}`)).code).toBe(0);
  expect(readFileSync(path.join(target, 'other'), 'utf8')).toBe('new'.repeat(500));
});

it('a download whose content is not that of its ETag is refused with --verify, and not left here', async () => {
  // With the same size and time, the service keeps the ETag.
  const write = (file: string, text: string): void => {
    writeFileSync(file, text);
    utimesSync(file, 1_700_000_000, 1_700_000_000);
  };
  const { run, source, target, places } = await start('down', '', (log) => {
    write(log, 'wrong');
  });
  write(path.join(source, 'log'), 'right');
  await run('ls datasets:');
  const ran = await run(`cp -r ${places} --verify`);
  expect([ran.code, ran.out + ran.err]).toEqual([14, expect.stringContaining('is not what the volume has')]);
  expect(readdirSync(target)).toEqual([]);
});

it('a service that is silent for thirty seconds is said', async () => {
  const clock = createAutoAdvancingClock();
  const { env } = await remoteService(({ method, url }) =>
    method === 'PUT' && url.includes('/log') ? { first: () => new Promise<never>(() => undefined) } : undefined,
  );
  const cwd = temporaryDirectory();
  writeFileSync(path.join(cwd, 'log'), 'x');
  const ran = await berth(['files', 'cp', 'log', 'datasets:log'], { cwd, env, clock });
  expect([ran.code, ran.err]).toEqual([7, expect.stringContaining('nothing arrived within 30s')]);
});
