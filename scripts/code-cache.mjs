/**
 * Writes, beside each file of dist/, the form into which V8 compiled it. The launcher hands it back to V8, which then
 * neither parses nor compiles. The suffix names what must be equal for that: V8's version, the platform, the processor.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { samplePod } from '../bench/sample-pod.mjs';

const recorder = fileURLToPath(new URL('code-cache-recorder.cjs', import.meta.url));
const suffix = `.${process.versions.v8}-${process.platform}-${process.arch}`;

/** Runs that make V8 compile what the usual commands use. Each adds to what those before it left. */
const RUNS = [
  ['--help'],
  ['pods', '--help'],
  ['pods', 'get', 'warm'],
  ['pods', 'get', 'warm', '--json'],
  ['pods', 'list'],
  ['--local', 'pods', 'list'],
  ['--local', 'jobs', 'run', 'echo', '--input', '{}', '--wait'],
  ['jobs', 'status', 'echo', 'warm'],
  ['health', 'echo'],
  ['config', 'list'],
  ['completion', 'bash'],
  ['no-such-command'],
];

/** `root` is the project's folder, with dist/ built. Runs that fail are no trouble here: tests are for that. */
export async function warmCodeCache(root) {
  const dist = path.join(root, 'dist');
  const files = (await readdir(dist)).filter((name) => name.endsWith('.cjs'));
  // V8 refuses an empty one and compiles the source; the launcher wants to find one for every file.
  await Promise.all(files.map((name) => writeFile(path.join(dist, name + suffix), '')));
  const home = await mkdtemp(path.join(tmpdir(), 'berth-build-'));
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(samplePod));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  const env = {
    PATH: process.env.PATH,
    BERTH_BUILD_CACHE_SUFFIX: suffix,
    BERTH_CONFIG_DIR: path.join(home, 'config'),
    BERTH_DATA_DIR: path.join(home, 'data'),
    BERTH_BASE_URL: url,
    BERTH_QUEUE_URL: url,
    BERTH_API_KEY: 'warm-up',
  };
  try {
    for (const args of RUNS) await run([path.join(root, 'bin/berth'), ...args], env);
  } finally {
    server.close();
    server.closeAllConnections();
    await rm(home, { recursive: true, force: true });
  }
}

function run(args, env) {
  return new Promise((resolve, reject) => {
    spawn(process.execPath, ['--require', recorder, ...args], { env, stdio: 'ignore', timeout: 10_000 })
      .on('error', reject)
      .on('close', resolve);
  });
}
