/** One transfer: run again and again, through a proxy and with kills and full disks, until it ends 0; then everything is compared. */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { sleep, start } from '../chaos/processes.mjs';
import { digestsOf, makeTree } from './files.mjs';
import { startProxy } from './proxy.mjs';

/** Runs after which a transfer counts as one that never ends. */
const MAX_RUNS = 150;

/** Exit codes of what the trials cause: denied, a refusal, rate limit, an unavailable service, a full disk. */
const EXPECTED_CODES = [3, 5, 6, 7, 14];

/** Runs one round. Returns what it found wrong; nothing where all is well. `disk` is a small file system, or undefined. */
export async function runRound({ command, folder, service, target, random, isLarge, isShort, disk }) {
  const source = path.join(folder, 'source');
  const isUp = random.chance(0.5);
  const isOnSmallDisk = disk !== undefined && !isUp && !isLarge && random.chance(0.5);
  const back = isOnSmallDisk ? path.join(disk, 'back') : path.join(folder, 'back');
  await mkdir(source, { recursive: true });
  const bytes = await makeTree(source, random, isLarge, isShort);
  const prefix = `trial-${random.hex(8)}`;
  const proxy = await startProxy(target.url, random, random.pick([0, 0.03, 0.1]));
  const direct = { ...process.env, ...service.env, ...target.env, BERTH_STORAGE_URL: target.url, BERTH_PROFILE: '' };
  const berth = (args, env, boundMs) => start([...command, ...args], { cwd: folder, env, boundMs });
  const wrong = [];
  let runs = 0;
  let kills = 0;

  /** Runs a command until it ends 0. */
  const insist = async (args) => {
    for (; runs < MAX_RUNS; runs += 1) {
      const env = {
        ...direct,
        BERTH_STORAGE_URL: proxy.url,
        BERTH_TIMEOUT: '3s',
        BERTH_RETRIES: random.pick(['0', '1', '3']),
      };
      await removeLeftovers(back);
      const running = berth(args, env, 600_000);
      const isKilled = random.chance(0.4) && runs < MAX_RUNS - 40;
      const kill = isKilled
        ? sleep(random.int(150, isLarge ? 20_000 : 1500)).then(() => running.signal('SIGKILL'))
        : undefined;
      const ended = await running.ended;
      if (ended.signal === 'SIGKILL') kills += 1;
      void kill;
      if (ended.code === 0) return;
      if (ended.hung) wrong.push('a run did not end within ten minutes');
      if (ended.signal === undefined && !EXPECTED_CODES.includes(ended.code))
        wrong.push(`a run ended ${ended.code}: ${ended.stderr.slice(0, 500)}`);
      if (wrong.length > 0) return;
      // Room for all files, and for as much that is unfinished.
      if (isOnSmallDisk && runs === 2) resize(disk, Math.ceil((2 * bytes) / 1_048_576) + 16);
    }
    wrong.push(`it did not end 0 in ${MAX_RUNS} runs`);
  };
  const plainly = async (args) => {
    await removeLeftovers(back);
    const ended = await berth(args, direct, 600_000).ended;
    if (ended.code !== 0)
      wrong.push(`without faults, ${args.slice(0, 3).join(' ')} ended ${ended.code}: ${ended.stderr.slice(0, 500)}`);
    return ended.stdout;
  };

  try {
    if (isOnSmallDisk) resize(disk, Math.max(1, Math.floor(bytes / 1_048_576 / 2)));
    if (isUp) {
      await insist(['files', 'cp', '-r', `${source}/`, `datasets:${prefix}`, '--json']);
      if (wrong.length === 0) await plainly(['files', 'cp', '-r', `datasets:${prefix}/`, back]);
    } else {
      await plainly(['files', 'cp', '-r', `${source}/`, `datasets:${prefix}`]);
      if (wrong.length === 0) await insist(['files', 'cp', '-r', `datasets:${prefix}/`, back, '--json']);
    }
    if (wrong.length === 0) {
      const [sent, found] = [await digestsOf(source), await digestsOf(back)];
      if (!isDeepStrictEqual(sent, found))
        wrong.push(`the files differ: ${JSON.stringify({ sent, found }, undefined, 1)}`);
      const listed = await plainly(['files', 'ls', '-r', `datasets:${prefix}`, '--json']);
      const names = listed === '' ? [] : JSON.parse(listed).map((row) => row.path);
      const expected = Object.keys(sent).map((name) => `${prefix}/${name}`);
      if (!isDeepStrictEqual(names.toSorted(), expected.toSorted()))
        wrong.push(`the volume has other files: ${JSON.stringify({ names, expected })}`);
      const left = unfinishedUploads(target, prefix);
      if (left.includes('<Upload>')) wrong.push(`unfinished uploads are left: ${left}`);
    }
    await plainly(['files', 'rm', '-r', `datasets:${prefix}`, '--yes']);
  } finally {
    proxy.close();
    await rm(source, { recursive: true, force: true });
    await rm(back, { recursive: true, force: true });
  }
  const faults = Object.values(proxy.counts).reduce((sum, count) => sum + count, 0);
  return {
    wrong,
    said: `${isUp ? 'up' : 'down'}, ${bytes} bytes, ${runs + 1} runs, ${kills} kills, ${faults} faults${isOnSmallDisk ? ', a full disk' : ''}`,
  };
}

/** What killed downloads leave, which a user may remove. */
async function removeLeftovers(folder) {
  for (const name of await readdir(folder, { recursive: true }).catch(() => []))
    if (/(^|\/)\.berth-[0-9a-f]{12}\.partial$/.test(name)) await rm(path.join(folder, name), { force: true });
}

/** What the service answers about unfinished uploads below a prefix. */
const unfinishedUploads = ({ url, env }, prefix) =>
  execFileSync(
    'curl',
    [
      ...['-sS', '--fail', '--aws-sigv4', 'aws:amz:EU-NORTH-1:s3', '-H', 'x-amz-content-sha256: UNSIGNED-PAYLOAD'],
      ...['--user', `${env.BERTH_STORAGE_ACCESS_KEY}:${env.BERTH_STORAGE_SECRET}`],
      `${url}/vol-datasets?prefix=${prefix}&uploads=`,
    ],
    { encoding: 'utf8' },
  );

/** Gives a small file system another size, in MiB. */
const resize = (disk, mib) => execFileSync('mount', ['-o', `remount,size=${mib}m`, disk]);
