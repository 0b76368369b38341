/** The commands whose start-up is measured, with the most that each may take, as a ratio to `node -e 0`. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { rootCertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';

const certificate = fileURLToPath(new URL('../test/support/tls/test-only-certificate.pem', import.meta.url));

const tlsAlone = fileURLToPath(new URL('tls-alone.cjs', import.meta.url));

const GET = ['pods', 'get', 'sample'];

/** Before Node 22 the certificates of a TLS context are read in the main thread. */
const byNode = (node20, later) => (version) => (Number.parseInt(version) < 22 ? node20 : later);
const always = (target) => () => target;

/**
 * `service` has the addresses of the server, `home` the folder for files. Returns rows with a name, the arguments, the
 * environment, and a function that gives the target for a version of Node.
 */
export async function startCases(berth, service, home, env) {
  const https = { ...env, BERTH_BASE_URL: service.https, BERTH_QUEUE_URL: service.https };
  const store = path.join(home, 'store.pem');
  await writeFile(store, [...rootCertificates, await readFile(certificate, 'utf8')].join('\n'));
  const given = { NODE_EXTRA_CA_CERTS: certificate };
  const system = { NODE_OPTIONS: '--use-openssl-ca', SSL_CERT_FILE: store };
  const firstRun = path.join(home, 'first-run');
  return [
    { name: 'node -e 0', args: ['-e', '0'], env },
    { name: 'node -e 0, a given certificate', args: ['-e', '0'], env: { ...env, ...given } },
    { name: 'berth --version', args: [berth, '--version'], env, target: always(1.1) },
    { name: 'berth --help', args: [berth, '--help'], env, target: always(1.4) },
    { name: 'berth pods get ID', args: [berth, ...GET], env, target: byNode(2.2, 1.9) },
    {
      name: 'berth pods get ID, first run',
      args: [berth, ...GET],
      env: { ...env, XDG_CACHE_HOME: firstRun },
      before: () => rm(firstRun, { recursive: true, force: true }),
      target: always(2.1),
    },
    { name: 'tls.connect alone, a given certificate', args: [tlsAlone], env: { ...https, ...given } },
    {
      name: 'berth pods get ID, https, a given certificate',
      args: [berth, ...GET],
      env: { ...https, ...given },
      target: byNode(3, 2.2),
    },
    { name: 'tls.connect alone, the system store', args: [tlsAlone], env: { ...https, ...system } },
    {
      name: 'berth pods get ID, https, the system store',
      args: [berth, ...GET],
      env: { ...https, ...system },
      target: byNode(3, 2.2),
    },
    { name: 'berth --local pods list', args: [berth, '--local', 'pods', 'list'], env, target: byNode(2.4, 2.2) },
    { name: 'berth pods get ID --jq .id', args: [berth, ...GET, '--jq', '.id'], env, target: always(5.2) },
    { name: 'berth __complete (TAB)', args: [berth, '__complete', 'zsh', 'pods', ''], env },
  ];
}
