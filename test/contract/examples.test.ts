import { mkdirSync, readFileSync, writeFileSync, chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandsOf, type Program } from '../../src/cli/model/command.ts';
import { FLAGS, NOUNS } from '../../src/registry.ts';
import { createAutoAdvancingClock } from '../support/clocks/auto-advancing-clock.ts';
import { shellWords } from '../support/text/shell-words.ts';
import { berthIn, type Ran } from '../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../support/worlds/test-world.ts';

const PROGRAM: Program = { nouns: NOUNS, flags: FLAGS };

const COMMANDS = await commandsOf(PROGRAM);
const BY_NOUN = Array.from(NOUNS.keys(), (name) => [name, COMMANDS.filter(({ path }) => path[0] === name)] as const);

/** Files that examples read, in the working directory. */
const FILES: Readonly<Record<string, string>> = {
  'input.json': '{"prompt":"hello"}',
  'items.jsonl': '{"prompt":"one"}\n{"prompt":"two"}\n',
  'items.csv': 'sku,prompt,price,tags\na1,one,1.5,[]\na2,two,2,[]\n',
  'pod.yaml': 'name: lab2\nimage: example/pytorch:2.8\ngpu:\n  id: GPU-24G\n  count: 1\ncloud: SECURE\n',
  'key.txt': 'key-of-an-example-0123456789\n',
  'storage-key.txt': 'access-of-an-example\nsecret-of-an-example\n',
  token: 'token-of-an-example\n',
  'id_ed25519.pub': 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBerthExampleKeyForNobodyAtAllExample000 me@laptop\n',
  'team.keys': 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBerthExampleKeyForNobodyAtAllExample000 me@laptop\n',
  'fleet.yaml': 'kind: volume\nname: fresh\nsize: 10\ndataCenter: EU-NORTH-1\n',
  'fleet/volumes.yaml': 'kind: volume\nname: datasets\n',
  'variables.env': 'TOKEN=one\n',
  'worker.py': 'def handler(job):\n    return job["input"]\n',
  'upper.mjs': 'export default (input) => String(input.text).toUpperCase();\n',
};

/** Command lines that are run before the examples of a noun: what the examples take for granted. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  clusters: [
    'berth clusters create --name train --type TRAINING --gpu GPU-80G --gpu-count 8 --pods 2 --image example/a:1',
  ],
  'global-volumes': ['berth global-volumes create weights'],
  tags: ['berth tags create team=vision'],
  billing: [
    'berth clusters create --name train --type TRAINING --gpu GPU-80G --gpu-count 8 --pods 2 --image example/a:1',
  ],
  files: ['berth files cp items.jsonl datasets:inputs/'],
  endpoints: [`berth api POST /local/builds/echo --input '{"id":"build-7","status":"BUILDING"}'`],
  auth: ['staging', 'default'].map(
    (name) => `berth auth login --with-key --no-check --profile ${name} --base-url https://api.example.com < key.txt`,
  ),
};

/** Nouns whose examples are about profiles: they are run without the local service. */
const WITH_PROFILES = ['auth', 'config'];

/** Examples that need a service of another process: test/e2e/workers runs them. */
const needsServedService = (line: string): boolean => line.includes('berth local worker-env');

/** Examples that speak with a server of SSH: test/e2e and test/unit/commands/pods/reach run such commands. */
const needsConnection = (line: string): boolean => /^berth pods (cp|forward) |^berth run /.test(line);

/** Examples that go on until Ctrl-C; they are interrupted once they have printed something. */
const isEndless = (line: string): boolean =>
  / --(watch|follow|every|listen)\b|^berth local serve/.test(line) && !line.startsWith('berth catalog gpus');

/** Examples that find something on a new account of the local service, and how they end. */
const FINDS: Readonly<Record<string, number>> = {
  'berth plan fleet.yaml': 16,
  'berth plan fleet.yaml --json': 16,
};

/** The default port may be in use, and the pods of the local service are no containers that ssh could reach. */
const asRun = (line: string): string =>
  line.startsWith('berth local serve')
    ? `${line} --port 0`
    : line.replace(/^berth pods ssh /, 'berth pods ssh --print ').replace('--listen 9400', '--listen 0');

/** A world with the files and, in place of the programs that examples start, programs that succeed. */
function exampleWorld(noun: string): TestWorld {
  const world = createTestWorld({
    env: WITH_PROFILES.includes(noun) ? {} : { BERTH_LOCAL: '1' },
    clock: createAutoAdvancingClock(),
  });
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(world.directory, name)), { recursive: true });
    writeFileSync(join(world.directory, name), text);
  }
  for (const program of ['npm', 'pytest', 'python3', 'ssh']) {
    const path = join(world.directory, 'bin', program);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '#!/bin/sh\nexit 0\n');
    chmodSync(path, 0o755);
  }
  return { ...world, env: { ...world.env, PATH: `${join(world.directory, 'bin')}:${world.env['PATH'] ?? ''}` } };
}

/** Runs one command line as a shell does: `$(...)`, `<(...)`, `A | B` and `< FILE`. */
async function runLine(world: TestWorld, line: string): Promise<Ran> {
  const inner = /[$<]\((berth [^()]*)\)/.exec(line);
  if (inner !== null) {
    const { out } = await runLine(world, inner[1] ?? '');
    if (line.startsWith('source ')) return { code: out.includes('_berth') ? 0 : 1, out, err: '', world };
    return await runLine(world, line.replace(inner[0], out.trim()));
  }
  const [left = '', right] = line.split(' | ');
  const [command = '', file] = left.split(' < ');
  const stdin = file === undefined ? undefined : readFileSync(join(world.directory, file), 'utf8');
  const ran = await runWords(world, shellWords(command).slice(1), stdin);
  return right === undefined ? ran : await runWords(world, shellWords(right).slice(1), ran.out);
}

async function runWords(world: TestWorld, argv: readonly string[], stdin: string | undefined): Promise<Ran> {
  const { stdin: piped } = stdin === undefined ? world : createTestWorld({ stdin });
  const line = ['berth', ...argv].join(' ');
  const printed = (): number => world.out().length;
  const before = printed();
  const running = berthIn({ ...world, stdin: piped }, argv);
  if (isEndless(line)) {
    const ended = running.then(() => true);
    const next = (): Promise<boolean> => new Promise((resolve) => setImmediate(resolve, false));
    while (printed() === before && !(await Promise.race([ended, next()])));
    world.signal('SIGINT');
  }
  return await running;
}

describe('examples of help', () => {
  it.each(COMMANDS)('$path has an example', ({ command: { examples } }) => {
    expect(examples.length).toBeGreaterThan(0);
    for (const [line, what] of examples) {
      expect(line).toMatch(/^(berth |source <\(berth |eval "\$\(berth )/);
      expect(what).not.toMatch(/^[A-Z](?![A-Z])|[.]$/);
    }
  });

  it.each(BY_NOUN)('of %s run as printed, one after the other', async (noun, commands) => {
    // `berth top` is a full screen, which test/e2e runs in a terminal.
    if (noun === 'top') return;
    const world = exampleWorld(noun);
    for (const line of BEFORE[noun] ?? []) expect((await runLine(world, line)).code, line).toBe(0);
    for (const line of new Set(commands.flatMap(({ command }) => command.examples.map(([each]) => each)))) {
      if (needsServedService(line) || needsConnection(line)) continue;
      const { code, err } = await runLine(world, asRun(line));
      expect({ line, code, err: code === (FINDS[line] ?? 0) || isEndless(line) ? '' : err }).toEqual({
        line,
        code: isEndless(line) ? 130 : (FINDS[line] ?? 0),
        err: '',
      });
    }
  });
});
