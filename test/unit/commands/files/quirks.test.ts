import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { createAutoAdvancingClock } from '../../../support/clocks/auto-advancing-clock.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';

/** Two ranges of a download. */
const LARGE = Buffer.alloc(17 * 1_048_576, 'what a large file has ');

/** Five parts of an upload. */
const HUGE = Buffer.alloc(65 * 1_048_576, 'what a huge file has ');

/** What is on the volume before each command, beside an empty folder. */
const BEFORE: Readonly<Record<string, Buffer>> = { 'have/one': Buffer.from('one'), 'have/e/two': Buffer.from('two!') };

/** A command, and what it leaves on the volume and in the local folder beside what was there. */
interface Work {
  readonly line: string;
  readonly volume?: Readonly<Record<string, Buffer>>;
  /** Where a large file is too: it takes time to write. */
  readonly large?: 'folder' | 'volume' | 'huge';
  /** The volume is empty afterwards. */
  readonly removes?: true;
  readonly folder?: Readonly<Record<string, Buffer>>;
  readonly out?: string;
}

const UPLOADS: Readonly<Record<string, Work>> = {
  'cp of a file': { line: 'cp small datasets:new/', volume: { 'new/small': Buffer.from('small') } },
  'cp over a file': { line: 'cp small datasets:have/one', volume: { 'have/one': Buffer.from('small') } },
  'cp of a large file': { line: 'cp large datasets:new/', large: 'folder', volume: { 'new/large': LARGE } },
  'cp of a folder': {
    line: 'cp -r d datasets:new',
    volume: { 'new/a': Buffer.from('a'), 'new/e/b': Buffer.from('') },
  },
  'sync of a folder': {
    line: 'sync d datasets:new --delete --yes',
    volume: { 'new/a': Buffer.from('a'), 'new/e/b': Buffer.from('') },
  },
};

/** Only where parts matter: it takes time. */
const IN_PARTS: Readonly<Record<string, Work>> = {
  'cp of a file in parts': { line: 'cp large datasets:new/', large: 'huge', volume: { 'new/large': HUGE } },
};

const DOWNLOADS: Readonly<Record<string, Work>> = {
  'cp of a file from the volume': { line: 'cp datasets:have/one back', folder: { back: Buffer.from('one') } },
  'cp of a large file from the volume': {
    line: 'cp datasets:have/large back',
    large: 'volume',
    folder: { back: LARGE },
  },
  'cp of a folder from the volume': {
    line: 'cp -r datasets:have/ back',
    folder: { 'back/one': Buffer.from('one'), 'back/e/two': Buffer.from('two!') },
  },
  'sync of a folder from the volume': {
    line: 'sync datasets:have/ back --delete --yes',
    large: 'volume',
    folder: { 'back/one': Buffer.from('one'), 'back/e/two': Buffer.from('two!'), 'back/large': LARGE },
  },
};

const OTHERS = {
  'ls -r': { line: 'ls -r datasets: --json', out: '"have/e/two"' },
  du: { line: 'du datasets: --json', out: '{"path":"","files":2,"bytes":7}' },
  cat: { line: 'cat datasets:have/e/two', out: 'two!' },
  'rm -r': { line: 'rm -r datasets:have --yes', removes: true },
} as const satisfies Readonly<Record<string, Work>>;

const ALL: Readonly<Record<string, Work>> = { ...UPLOADS, ...DOWNLOADS, ...OTHERS };

const among = (...titles: readonly string[]) =>
  Object.fromEntries(Object.entries(ALL).filter(([title]) => titles.includes(title)));

/** An upload, a download and a removal. */
const THREE = among('cp of a folder', 'sync of a folder from the volume', 'rm -r');
const WRITES = among('cp over a file', 'sync of a folder');

const volumeBefore = ({ large }: Work) => ({ ...BEFORE, ...(large === 'volume' ? { 'have/large': LARGE } : {}) });

const folderBefore = ({ large }: Work) => ({
  ...{ small: Buffer.from('small'), 'd/a': Buffer.from('a'), 'd/e/b': Buffer.alloc(0) },
  ...(large === 'folder' ? { large: LARGE } : large === 'huge' ? { large: HUGE } : {}),
});

/** An account with files on its volume and in a folder, and the given faults. */
async function start(faults: readonly string[], work: Work) {
  const account = createAccount(createAutoAdvancingClock());
  const cwd = temporaryDirectory();
  const data = temporaryDirectory();
  const run = (line: string) => account(line, { cwd, env: { BERTH_DATA_DIR: data } });
  await run('files ls datasets:');
  const root = path.join(data, 'local/volumes');
  const volume = path.join(root, readdirSync(root)[0] ?? '', 'vol-datasets');
  writeFiles(volume, volumeBefore(work));
  mkdirSync(path.join(volume, 'have/empty'));
  writeFiles(cwd, folderBefore(work));
  for (const fault of faults) await local((line) => run(line), `local fault add ${fault}`);
  return { run, cwd, volume };
}

function writeFiles(folder: string, files: Readonly<Record<string, Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
}

/** The files below a folder with their contents; parts of unfinished uploads too. */
const filesOf = (folder: string): Readonly<Record<string, Buffer>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(path.join(folder, name)).isFile())
      .map((name) => [name, readFileSync(path.join(folder, name))]),
  );

/** Compares without printing megabytes where they differ. */
function expectFiles(folder: string, expected: Readonly<Record<string, Buffer>>): void {
  const found = filesOf(folder);
  expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
  for (const [name, content] of Object.entries(expected)) expect(found[name]?.equals(content), name).toBe(true);
}

function expectDone({ volume, cwd }: { volume: string; cwd: string }, work: Work): void {
  expectFiles(volume, work.removes === true ? {} : { ...volumeBefore(work), ...work.volume });
  expectFiles(cwd, { ...folderBefore(work), ...work.folder });
}

const each = (kind: string, ...methods: readonly string[]): readonly string[] =>
  methods.map((method) => `${kind} --count 1 --match ${method}`);

/** Quirks of the service that a command gets over. */
const QUIRKS: readonly (readonly [string, readonly string[], Readonly<Record<string, Work>>])[] = [
  ['no fault, and an empty folder', [], ALL],
  ['a first listing that takes four minutes', ['files-slow-list --latency 4m --count 1'], THREE],
  ['listings that fail at first', ["files-error --status 500 --count 3 --match 'GET /vol-datasets'"], THREE],
  ['listings with the same token twice', ['files-same-token --count 4'], THREE],
  ['a 502 at the first request of each method', each('files-error', 'GET', 'HEAD', 'PUT', 'POST', 'DELETE'), THREE],
  ['answers of 200 that are cut short', ['files-cut --count 3'], { ...THREE, ...among('cat') }],
  ['AccessDenied now and then', each('files-denied', 'GET', 'HEAD', 'PUT', 'POST', 'DELETE'), THREE],
  ['a file that is shown ten minutes after its upload', ['files-late --latency 10m --count 1'], WRITES],
  ['an upload that reports success and is lost', ['files-lost --count 1 --match PUT'], WRITES],
  [
    'a join of parts that outlives the time limit, then reports success, and is not done',
    ['files-slow-complete --latency 2m --count 1', 'files-no-complete --count 1'],
    IN_PARTS,
  ],
  ['a clock that is 59 minutes off', ['files-clock --latency 59m'], THREE],
];

describe.each(QUIRKS)('with %s', (_, faults, works) => {
  it.each(Object.entries(works))('%s does all that it says', async (_title, work) => {
    const world = await start(faults, work);
    const ran = await world.run(`files ${work.line}`);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.out.replaceAll(/\s/g, '')).toContain(work.out ?? '');
    expectDone(world, work);
  });
});

/** Quirks that a command cannot get over: exit code and what it says. When they are gone, the same command ends well. */
const STOPPERS: readonly (readonly [string, string, number, string, Readonly<Record<string, Work>>])[] = [
  ['a volume that is full', 'files-full', 5, 'no space left', WRITES],
  [
    'uploads that report success and are lost',
    'files-lost',
    7,
    'not there an hour afterwards',
    among('sync of a folder'),
  ],
  ['a service that denies everything', 'files-denied', 3, '403', { ...THREE, ...among('cp of a file') }],
  ['a service that fails', 'files-error', 7, '502', THREE],
  ['a clock that is two hours off', 'files-clock --latency 2h', 3, 'doctor', THREE],
  ['listings without an end', 'files-same-token', 7, 'circles', { 'ls -r': OTHERS['ls -r'], 'rm -r': OTHERS['rm -r'] }],
];

describe.each(STOPPERS)('with %s', (_, fault, code, says, works) => {
  it.each(Object.entries(works))('%s says so, changes nothing, and ends well later', async (_title, work) => {
    const world = await start([fault], work);
    const before = filesOf(world.volume);
    const ran = await world.run(`files ${work.line}`);
    expect([ran.code, ran.err, code === 3 ? ran.out : '']).toEqual([code, expect.stringContaining(says), '']);
    expect(ran.out + ran.err).not.toMatch(/[1-9]\d* files? (copied|removed)/);
    if (fault !== 'files-lost')
      expect(Object.keys(filesOf(world.volume))).toEqual(expect.arrayContaining(Object.keys(before)));
    await world.run('local fault clear');
    const again = await world.run(`files ${work.line}`);
    expect(again.code, again.err).toBe(0);
    expectDone(world, work);
  });
});
