/** The storage services of the trials: the local service, and two that nobody here wrote. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { start, until } from '../chaos/processes.mjs';

const MOTO = `
import logging, sys
from moto.server import ThreadedMotoServer
import moto.s3.models
logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
import boto3
url = "http://%s:%d" % server.get_host_and_port()
boto3.client("s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id="trial", aws_secret_access_key="trial").create_bucket(Bucket="vol-datasets")
print(url, flush=True)
sys.stdin.read()
`;

/** Milliseconds for a service to start on a machine that has much else to do. */
const START_MS = 120_000;

const KEY = { BERTH_STORAGE_ACCESS_KEY: 'trial', BERTH_STORAGE_SECRET: 'trial-secret' };

/** The data center of the volume: the gateway checks the region of a signature. */
const REGION = 'EU-NORTH-1';

/** Starts the local service: the volumes of all trials are its. */
export async function startService(command, folder, env) {
  const running = start([...command, 'local', 'serve', '--port', '0', '--state', path.join(folder, 'state.json')], {
    cwd: folder,
    env,
    boundMs: null,
  });
  const ready = await until(
    () => /BERTH_STORAGE_SECRET=\S+/.test(running.said.stderr) || running.isOver || undefined,
    START_MS,
  );
  if (ready === undefined || running.isOver)
    throw new Error(`the local service does not start: ${running.said.stderr}`);
  const variable = (name) => new RegExp(`${name}=(\\S+)`).exec(running.said.stderr)?.[1];
  const url = running.said.stdout.trim();
  return {
    url,
    storageKey: {
      BERTH_STORAGE_ACCESS_KEY: variable('BERTH_STORAGE_ACCESS_KEY'),
      BERTH_STORAGE_SECRET: variable('BERTH_STORAGE_SECRET'),
    },
    env: { BERTH_BASE_URL: url, BERTH_API_KEY: variable('BERTH_API_KEY') },
    stop: () => running.signal('SIGKILL'),
  };
}

/** Starts a storage service of a kind. Returns undefined, and says why, where it cannot be had. */
export async function startTarget(kind, service, folder) {
  if (kind === 'local') return { url: service.url, env: service.storageKey, stop: () => undefined };
  try {
    return await STARTS[kind](folder);
  } catch (error) {
    console.log(`note: no trials with ${kind}: ${error.message.split('\n')[0]}`);
    return undefined;
  }
}

const STARTS = { moto: startMoto, versitygw: startGateway };

async function startMoto() {
  const python = process.env.STORAGE_PYTHON ?? 'python3';
  execFileSync(python, ['-c', 'import moto, flask, boto3'], { stdio: 'pipe' });
  const child = spawn(python, ['-c', MOTO], { stdio: ['pipe', 'pipe', 'inherit'] });
  const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  if (line.done) throw new Error('it did not start');
  return { url: line.value, env: KEY, stop: () => child.kill('SIGKILL') };
}

/** A gateway to a folder of this machine. */
async function startGateway(folder) {
  const program = process.env.VERSITYGW ?? 'versitygw';
  execFileSync(program, ['--version'], { stdio: 'pipe' });
  const root = path.join(folder, 'gateway');
  const metadata = path.join(folder, 'metadata-of-gateway');
  for (const each of [path.join(root, 'vol-datasets'), metadata]) mkdirSync(each, { recursive: true });
  const port = await freePort();
  const address = ['--port', `127.0.0.1:${port}`, '--region', REGION, '--keep-alive', '--quiet'];
  const running = start([program, ...address, 'posix', '--sidecar', metadata, root], {
    cwd: folder,
    env: {
      ...process.env,
      ROOT_ACCESS_KEY: KEY.BERTH_STORAGE_ACCESS_KEY,
      ROOT_SECRET_KEY: KEY.BERTH_STORAGE_SECRET,
    },
    boundMs: null,
  });
  const url = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(url).then(
      () => true,
      () => (running.isOver ? false : undefined),
    );
  if ((await until(answers, START_MS)) !== true) throw new Error(`it did not start: ${running.said.stderr}`);
  return { url, env: KEY, stop: () => running.signal('SIGKILL') };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
