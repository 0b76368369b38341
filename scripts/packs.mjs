/**
 * Makes dist/ fast to load: puts the files that the usual commands load into packs, because each file that is opened takes
 * time.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { samplePod } from '../bench/sample-pod.mjs';

const lister = fileURLToPath(new URL('list-loaded-files.cjs', import.meta.url));

/** Each pack and the command whose files it holds, without those of earlier packs. The launcher has the same names. */
const PACKS = [
  { pack: 'start.pack.cjs', args: ['--help'] },
  { pack: 'request.pack.cjs', args: ['pods', 'get', 'sample'] },
];

/** `root` is the folder of the project, with dist/ built. Fails when one of the commands cannot be run. */
export async function makePacks(root) {
  const dist = path.join(root, 'dist');
  const home = await mkdtemp(path.join(tmpdir(), 'berth-build-'));
  const list = path.join(home, 'list');
  const service = await serveSample();
  const env = {
    PATH: process.env.PATH,
    BERTH_BUILD_DIST: dist,
    BERTH_BUILD_LIST: list,
    BERTH_CONFIG_DIR: path.join(home, 'config'),
    BERTH_DATA_DIR: path.join(home, 'data'),
    BERTH_BASE_URL: service.url,
    BERTH_QUEUE_URL: service.url,
    BERTH_API_KEY: 'sample',
  };
  try {
    const packs = new Map();
    const packed = new Set();
    for (const { pack, args } of PACKS) {
      await runListed([path.join(root, 'bin/berth'), ...args], env);
      const names = (await readFile(list, 'utf8')).split('\n').filter((name) => !packed.has(name));
      for (const name of names) packed.add(name);
      packs.set(pack, await packOf(dist, names));
    }
    // Written last: while there are none, the launcher loads plain files, and Node can list them.
    for (const [pack, text] of packs) await writeFile(path.join(dist, pack), text);
  } finally {
    service.stop();
    await rm(home, { recursive: true, force: true });
  }
}

/** A pack is one object that maps the required name of a file to the file as a function. */
async function packOf(dist, names) {
  const members = names.map(async (name) => {
    const text = await readFile(path.join(dist, name), 'utf8');
    return `${JSON.stringify(`./${name}`)}:function(exports,require,module,__filename,__dirname){${text}\n}`;
  });
  return `({${(await Promise.all(members)).join(',\n')}})`;
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

function runListed(args, env) {
  return new Promise((resolve, reject) => {
    spawn(process.execPath, ['--require', lister, ...args], { env, stdio: 'ignore', timeout: 20_000 })
      .on('error', reject)
      .on('close', resolve);
  });
}
