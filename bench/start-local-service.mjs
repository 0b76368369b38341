/** Starts the local service of `local-service.mjs`, which is bundled from the sources into `folder`. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Returns its address, the headers with its key, and functions that tell the CPU time of its process and stop it. `BENCH_SERVICE_ARGS` passes options to its Node,
 * such as `--cpu-prof`.
 */
export async function startLocalService(folder) {
  const file = path.join(folder, 'local-service.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('local-service.mjs', import.meta.url))],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const child = fork(file, { execArgv: process.env.BENCH_SERVICE_ARGS?.split(' ') ?? [] });
  const [url] = await once(child, 'message');
  return {
    url,
    headers: { authorization: 'Bearer berth-local-full-access' },
    cpuMicroseconds: async () => {
      child.send('cpu');
      return (await once(child, 'message'))[0].cpuMicroseconds;
    },
    stop: () => {
      child.disconnect();
      return once(child, 'exit');
    },
  };
}
