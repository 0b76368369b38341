/**
 * Makes dist/ fast to load: puts the files that the usual commands load into packs, and writes a V8 code cache beside each file
 * and pack. The launcher gives the cache to V8, which then neither parses nor compiles. The suffix of a cache names what must
 * be equal to use it: the version of V8, the platform and the processor.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { samplePod } from '../bench/sample-pod.mjs';

const recorder = fileURLToPath(new URL('code-cache-recorder.cjs', import.meta.url));
const suffix = `.${process.versions.v8}-${process.platform}-${process.arch}`;

/** Each pack and the command whose files it holds, without those of earlier packs. The launcher has the same names. */
const PACKS = [
  { pack: 'start.pack.cjs', args: ['--help'] },
  { pack: 'request.pack.cjs', args: ['pods', 'get', 'sample'] },
];

/** Runs that make V8 compile the code of the usual commands. Each run adds to the caches of the earlier ones. */
const RUNS = [
  ['--help'],
  ['pods', '--help'],
  ['pods', 'get', 'sample'],
  ['pods', 'get', 'sample', '--json'],
  ['pods', 'list'],
  ['--local', 'pods', 'list'],
  ['--local', 'jobs', 'run', 'echo', '--input', '{}', '--wait'],
  ['jobs', 'status', 'echo', 'sample'],
  ['health', 'echo'],
  ['config', 'list'],
  ['completion', 'bash'],
  ['__complete', 'bash', ' =', 'berth pods get '],
  ['__complete', 'zsh', 'pods', 'get', ''],
  ['__renew', 'pod'],
  ['no-such-command'],
];

/** `root` is the folder of the project, with dist/ built. Failing runs are ignored here; the tests find them. */
export async function warmCodeCache(root) {
  const dist = path.join(root, 'dist');
  const home = await mkdtemp(path.join(tmpdir(), 'berth-build-'));
  const service = await serveSample();
  const env = {
    PATH: process.env.PATH,
    BERTH_BUILD_DIST: dist,
    BERTH_BUILD_SUFFIX: suffix,
    BERTH_CONFIG_DIR: path.join(home, 'config'),
    BERTH_DATA_DIR: path.join(home, 'data'),
    BERTH_BASE_URL: service.url,
    BERTH_QUEUE_URL: service.url,
    BERTH_API_KEY: 'sample',
  };
  const run = (args, more) => runRecorded([path.join(root, 'bin/berth'), ...args], { ...env, ...more });
  try {
    await writePacks(dist, async (args) => {
      const list = path.join(home, 'list');
      await run(args, { BERTH_BUILD_LIST: list });
      return (await readFile(list, 'utf8')).split('\n');
    });
    const files = (await readdir(dist)).filter((name) => name.endsWith('.cjs'));
    // V8 rejects an empty cache and compiles the source; the launcher expects one for every file.
    await Promise.all(files.map((name) => writeFile(path.join(dist, name + suffix), '')));
    for (const args of RUNS) await run(args);
  } finally {
    service.stop();
    await rm(home, { recursive: true, force: true });
  }
}

/** A pack is one object that maps the required name of a file to the file as a function. */
async function writePacks(dist, filesOf) {
  const packed = new Set();
  for (const { pack, args } of PACKS) {
    const names = (await filesOf(args)).filter((name) => !packed.has(name));
    const members = names.map(async (name) => {
      packed.add(name);
      const text = await readFile(path.join(dist, name), 'utf8');
      return `${JSON.stringify(`./${name}`)}:function(exports,require,module,__filename,__dirname){${text}\n}`;
    });
    await writeFile(path.join(dist, pack), `({${(await Promise.all(members)).join(',\n')}})`);
  }
}

async function serveSample() {
  const body = JSON.stringify(samplePod);
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, stop };
}

function runRecorded(args, env) {
  return new Promise((resolve, reject) => {
    spawn(process.execPath, ['--require', recorder, ...args], { env, stdio: 'ignore', timeout: 20_000 })
      .on('error', reject)
      .on('close', resolve);
  });
}
