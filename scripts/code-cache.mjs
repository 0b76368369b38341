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
    response.setHeader('content-type', 'application/json').end(JSON.stringify(POD));
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

const POD = {
  id: 'warm',
  name: 'warm',
  status: 'RUNNING',
  actions: ['stop', 'restart', 'terminate'],
  image: 'image:1',
  args: '',
  disk: 20,
  ports: ['22/tcp', '8888/http'],
  env: { NAME: 'value' },
  registry: null,
  mounts: { network: [{ volumeId: 'vol', path: '/workspace' }] },
  gpu: { id: 'gpu', count: 2 },
  cloud: 'SECURE',
  dataCenterId: 'DC-1',
  template: null,
  cost: 1.25,
  locked: false,
  globalNetworking: { enabled: false },
  runtime: {
    uptime: 60,
    gpus: [
      { util: 40, memoryUtil: 50 },
      { util: 41, memoryUtil: 51 },
    ],
    cpu: { util: 10 },
    memory: { util: 20 },
    ports: [{ private: 22, public: 10022, type: 'tcp', ip: '192.0.2.1' }],
  },
  createdAt: '2026-01-01T00:00:00Z',
  startedAt: '2026-01-01T00:01:00Z',
};
