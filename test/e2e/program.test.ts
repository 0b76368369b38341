import { readFile, readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  berth,
  cleanEnvironment,
  installedAt,
  packageTest,
  runProgram,
  serveJson,
  startOf,
  temporaryFolder,
} from './support.ts';
import { hasTerminal, inTerminal } from './terminal.ts';

const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };

const POD = {
  id: 'pod1',
  name: 'first',
  status: 'RUNNING',
  actions: ['stop', 'restart', 'terminate'],
  image: 'image:1',
  args: '',
  disk: 20,
  ports: ['22/tcp'],
  env: {},
  registry: null,
  mounts: {},
  gpu: { id: 'gpu', count: 1 },
  cloud: 'SECURE',
  dataCenterId: null,
  template: null,
  cost: 0.5,
  locked: false,
  globalNetworking: { enabled: false },
  runtime: null,
  createdAt: '2026-01-01T00:00:00Z',
  startedAt: null,
};

describe('the installed program', () => {
  test.each([
    ['--version', '--json'],
    ['--json', '--version'],
  ])('answers %s %s with a document', async (...flags) => {
    expect(await berth(flags)).toEqual({ code: 0, stdout: `{"version":"${version}"}\n`, stderr: '' });
  });

  test.each(['--version', '-V'])('answers %s with its version and nothing else', async (flag) => {
    expect(await berth([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  packageTest('ends 1 with a line where a callback is lost, and never 0', async () => {
    const folder = await temporaryFolder();
    const preload = path.join(folder, 'lost-callback.cjs');
    await writeFile(preload, "require('node:fs').write = () => {};\n");
    const [node, program] = startOf(installedAt());
    const argv = ['--require', preload, program, '--local', 'pods', 'list'];
    const { code, stderr } = await runProgram(node, argv, { env: await cleanEnvironment() });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'error: this is a bug in berth: the process would end before the command\n',
    });
  });

  test('gets a pod over http', async () => {
    const { url, seen } = await serveJson(POD);
    const env = await cleanEnvironment({ BERTH_BASE_URL: url, BERTH_API_KEY: 'key-of-this-test' });
    const { code, stdout, stderr } = await berth(['pods', 'get', 'pod1', '--json'], { env });
    expect({ code, stderr, pod: JSON.parse(stdout) as unknown }).toEqual({ code: 0, stderr: '', pod: POD });
    expect(seen.map(({ method, url: target, headers }) => [method, target, headers.authorization])).toEqual([
      ['GET', '/v2/pods/pod1', 'Bearer key-of-this-test'],
    ]);
    expect(seen[0]?.headers['user-agent']).toBe(`berth/${version}`);
  });

  packageTest('runs from its source where V8 refuses the compiled form', async () => {
    const env = await cleanEnvironment({ NODE_OPTIONS: '--stack-trace-limit=20' });
    expect((await berth(['--help'], { env })).code).toBe(0);
  });

  packageTest('says how to build it where it is not built', async () => {
    const copy = await temporaryFolder();
    await runProgram('cp', ['-R', `${installedAt()}/.`, copy], { env: await cleanEnvironment() });
    await rename(path.join(copy, 'dist'), path.join(copy, 'away'));
    const env = await cleanEnvironment();
    const [node, launcher] = startOf(copy);
    const ended = await runProgram(node, [launcher, 'pods', 'list'], { env });
    expect(ended).toEqual({ code: 1, stdout: '', stderr: `berth: not built yet: run "npm run build" in ${copy}\n` });
  });

  packageTest('has no file with the path of the folder that it was built in', async () => {
    const entries = await readdir(installedAt(), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
    const holding = await Promise.all(files.map(async (file) => (await readFile(file)).includes(process.cwd())));
    expect(files.length).toBeGreaterThan(100);
    expect(holding).not.toContain(true);
  });

  packageTest('carries all it needs, and the licences of what it carries', async () => {
    const here = installedAt();
    const manifest = JSON.parse(await readFile(path.join(here, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(manifest['dependencies']).toBeUndefined();
    expect(await readdir(here)).not.toContain('node_modules');
    const licences = await readFile(path.join(here, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
    expect(licences).toMatch(/^undici \d.*\(MIT\)$/m);
    expect(licences).toMatch(/^commander \d.*\(MIT\)$/m);
  });
});

describe.skipIf(!hasTerminal)('in a terminal', () => {
  test('asks nothing and ends', async () => {
    const terminal = await inTerminal({ columns: 80, rows: 24 }, ['--version']);
    expect(await terminal.waitFor('ended 0')).toContain(version);
  });
});
