/** `berth files` beside other clients: the same server and the same files in one run. */
import { execFileSync } from 'node:child_process';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startService } from '../test/files-trials/targets.mjs';
import { serveLargeListing } from './files-server.mjs';
import { commandCosts, load, printTable, verdict } from './measure.mjs';

const GIB = 1024 ** 3;
/** Bytes of the large file, and how many small ones there are. */
const LARGE_BYTES = Number(process.env.BENCH_FILES_BYTES ?? 2 * GIB);
const SMALL_FILES = Number(process.env.BENCH_FILES_COUNT ?? 10_000);
const SMALL_BYTES = 4096;

/** The share of the speed of the fastest client that is wanted, and the most memory of a listing in MiB. */
const WANTED = 0.9;
const MOST_MEMORY = 120;

const REGION = 'EU-NORTH-1';
const BUCKET = 'vol-datasets';

/** Each client: how it is looked for, and its command lines, from `from` to a folder or file `to` on the volume and back. */
const clients = (berth) => ({
  berth: {
    there: [process.execPath, '--version'],
    fileUp: (from, to) => `${process.execPath} ${berth} files cp ${from} datasets:${to}`,
    fileDown: (from, to) => `${process.execPath} ${berth} files cp datasets:${from} ${to}`,
    folderUp: (from, to) => `${process.execPath} ${berth} files cp -r ${from}/ datasets:${to}`,
    folderDown: (from, to) => `${process.execPath} ${berth} files cp -r datasets:${from}/ ${to}`,
  },
  rclone: {
    there: ['rclone', 'version'],
    fileUp: (from, to) => `rclone copyto --s3-no-check-bucket ${from} v:${BUCKET}/${to}`,
    fileDown: (from, to) => `rclone copyto v:${BUCKET}/${from} ${to}`,
    folderUp: (from, to) => `rclone copy --s3-no-check-bucket ${from} v:${BUCKET}/${to}`,
    folderDown: (from, to) => `rclone copy v:${BUCKET}/${from} ${to}`,
  },
  'aws s3': {
    there: ['aws', '--version'],
    fileUp: (from, to) => `aws s3 cp --quiet ${from} s3://${BUCKET}/${to}`,
    fileDown: (from, to) => `aws s3 cp --quiet s3://${BUCKET}/${from} ${to}`,
    folderUp: (from, to) => `aws s3 cp --quiet --recursive ${from} s3://${BUCKET}/${to}`,
    folderDown: (from, to) => `aws s3 cp --quiet --recursive s3://${BUCKET}/${from} ${to}`,
  },
});

/** Measures transfers in both directions, and the memory of a listing. */
export async function benchFiles({ berth, home, env }) {
  const service = await startService([process.execPath, berth], home, env);
  try {
    await benchTransfers({ berth, home, env: { ...env, ...environmentOf(service, home) }, service });
  } finally {
    service.stop();
  }
  await benchListing({ berth, env });
}

const environmentOf = ({ url, env, storageKey }, home) => ({
  ...env,
  ...storageKey,
  HOME: home,
  // rclone refuses it, and the server of the bench needs none.
  AWS_CA_BUNDLE: undefined,
  BERTH_STORAGE_URL: url,
  BERTH_TIMEOUT: '300s',
  AWS_ACCESS_KEY_ID: storageKey.BERTH_STORAGE_ACCESS_KEY,
  AWS_SECRET_ACCESS_KEY: storageKey.BERTH_STORAGE_SECRET,
  AWS_REGION: REGION,
  AWS_DEFAULT_REGION: REGION,
  AWS_ENDPOINT_URL_S3: url,
  RCLONE_CONFIG_V_TYPE: 's3',
  RCLONE_CONFIG_V_PROVIDER: 'Other',
  RCLONE_CONFIG_V_ENV_AUTH: 'true',
  RCLONE_CONFIG_V_ENDPOINT: url,
  RCLONE_CONFIG_V_REGION: REGION,
});

async function benchTransfers({ berth, home, env }) {
  const large = path.join(home, 'large');
  const small = path.join(home, 'small');
  await makeFiles(large, small);
  const rows = [];
  const times = {};
  const all = Object.entries(clients(berth)).filter(([name, { there }]) => isThere(name, there, env));
  for (const [name, client] of all) {
    const on = name.replaceAll(/\W/g, '');
    const back = path.join(home, `back-${on}`);
    await mkdir(back);
    const steps = {
      '1 file up': client.fileUp(large, `${on}/large`),
      '1 file down': client.fileDown(`${on}/large`, path.join(back, 'large')),
      'many up': client.folderUp(small, `${on}/small`),
      'many down': client.folderDown(`${on}/small`, path.join(back, 'small')),
    };
    times[name] = {};
    for (const [step, command] of Object.entries(steps)) {
      const started = performance.now();
      const costs = await commandCosts(`${command} 3>&-`, env);
      if (costs.code !== 0) {
        console.log(`note: ${name} is left out: ${step} ended ${costs.code}`);
        delete times[name];
        break;
      }
      times[name][step] = { seconds: (performance.now() - started) / 1000, cpu: costs.milliseconds / 1000 };
    }
    await rm(back, { recursive: true, force: true });
  }
  const steps = Object.keys(times.berth);
  const fastest = (step) => Math.min(...Object.values(times).map((each) => each[step].seconds));
  const gibibytes = LARGE_BYTES / GIB;
  for (const [name, each] of Object.entries(times))
    rows.push([
      name,
      ...steps.map((step) => {
        const { seconds, cpu } = each[step];
        const perGib = step.startsWith('1 file')
          ? `, ${(cpu / gibibytes).toFixed(1)} s CPU/GiB`
          : `, ${cpu.toFixed(1)} s CPU`;
        return `${seconds.toFixed(1)} s (${(fastest(step) / seconds).toFixed(2)}${perGib})`;
      }),
    ]);
  const isMet = steps.every((step) => fastest(step) / times.berth[step].seconds >= WANTED);
  printTable(
    `Files: ${(LARGE_BYTES / 1024 ** 2).toFixed(0)} MiB in one file, and ${SMALL_FILES} files of 4 KiB; in brackets the share of the fastest (${load()}; at least ${WANTED}: ${verdict(isMet)})`,
    ['client', ...steps],
    rows,
  );
}

async function makeFiles(large, small) {
  const file = await open(large, 'w');
  const block = Buffer.alloc(16 * 1024 ** 2);
  for (let at = 0; at < LARGE_BYTES; at += block.byteLength) {
    for (let word = 0; word < block.byteLength; word += 4096) block.writeDoubleLE(at + word, word);
    await file.write(block, 0, Math.min(block.byteLength, LARGE_BYTES - at));
  }
  await file.close();
  await mkdir(small);
  for (let each = 0; each < SMALL_FILES; each += 1)
    await writeFile(path.join(small, `file-${each}`), Buffer.alloc(SMALL_BYTES, `${each} `));
}

/** Whether a client can be had; a note says so where not. */
function isThere(name, [program, ...args], env) {
  try {
    execFileSync(program, args, { stdio: 'ignore', env });
    return true;
  } catch {
    console.log(`note: ${name} is not measured: it is not installed`);
    return false;
  }
}

async function benchListing({ berth, env }) {
  const server = await serveLargeListing();
  const key = { BERTH_STORAGE_ACCESS_KEY: 'bench', BERTH_STORAGE_SECRET: 'bench', BERTH_API_KEY: 'bench' };
  const addresses = { BERTH_BASE_URL: server.url, BERTH_STORAGE_URL: server.url };
  const memory = path.join(import.meta.dirname, 'peak-memory.cjs');
  const started = performance.now();
  const command = `${process.execPath} --require ${memory} ${berth} files du large:flat/`;
  const { code, mebibytes } = await commandCosts(command, { ...env, ...key, ...addresses });
  if (code !== 0) throw new Error(`files du ended ${code}`);
  const seconds = (performance.now() - started) / 1000;
  server.close();
  printTable(
    'files du of 1,000,000 keys',
    ['seconds', 'peak memory', `at most ${MOST_MEMORY} MiB`],
    [[seconds.toFixed(1), `${mebibytes.toFixed(0)} MiB`, verdict(mebibytes <= MOST_MEMORY)]],
  );
}
