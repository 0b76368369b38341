import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, inject, onTestFinished } from 'vitest';
import { blocksOf, ROOT } from '../support/documents/pages.ts';
import { packageTest, runProgram } from './support.ts';

/** The commands of installing that are not run here, and why. */
const LEFT_OUT: readonly (readonly [RegExp, string])[] = [
  [/^npm ci$/, 'needs a network; the copy has the packages of the clone'],
  [/^npm run binary/, 'downloads a tool; test/e2e/executable.test.ts tests an executable'],
  [/^docker /, 'needs an engine; test/e2e/image.test.ts runs the files of the image with chroot'],
];

const isLeftOut = (line: string): boolean => LEFT_OUT.some(([pattern]) => pattern.test(line));

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** The hash of each file in a folder, by its path. */
const hashesOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(folder, file), hashOf(file)]),
  );

/** What is made there: builds, packages, and copies by other tests, which go away meanwhile. */
const isMade = (name: string): boolean =>
  ['node_modules', 'dist', 'dist-binary', '.git'].includes(name) ||
  name.startsWith('.scratch-') ||
  /\.(tgz|deb)$/.test(name);

/** Copies the sources into a folder of another name, with the same packages. Returns the folder, which ends with the test. */
function copyProject(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-copy-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  for (const name of readdirSync(ROOT))
    if (!isMade(name)) cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}

packageTest(
  'the commands of docs/install.md run as printed in a copy of the clone, and make the same bytes there',
  async () => {
    const page = readFileSync(path.join(ROOT, 'docs/install.md'), 'utf8');
    const lines = blocksOf(page)
      .filter(({ language, text }) => language === 'sh' && /^(npm|docker) /m.test(text))
      .flatMap(({ text }) => text.split('\n'))
      .map((line) => line.replace(/ +#.*$/, ''))
      .filter((line) => line !== '');
    // A line that is neither run nor left out any more would be left out for nothing.
    for (const [pattern] of LEFT_OUT) expect(lines.some((line) => pattern.test(line))).toBe(true);
    const run = lines.filter((line) => !isLeftOut(line));
    expect(run).toEqual(['npm run build', 'npm pack', 'npm install --global ./berth-*.tgz']);
    const folder = copyProject();
    const home = path.join(folder, 'home');
    const prefix = path.join(folder, 'prefix');
    mkdirSync(home);
    const env = {
      PATH: `${path.join(prefix, 'bin')}${path.delimiter}${process.env['PATH'] ?? ''}`,
      HOME: home,
      npm_config_prefix: prefix,
      npm_config_offline: 'true',
      npm_config_fund: 'false',
      TZ: 'Asia/Tokyo',
    };
    const script = ['umask 077', ...run, 'berth --version', 'berth --local pods list -o id'].join('\n');
    const { code, stdout, stderr } = await runProgram('sh', ['-e', '-c', script], { cwd: folder, env });
    expect(code, stderr).toBe(0);
    const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(stdout).toContain(`\n${version}\n`);
    expect(stdout).toContain('\npod-train\n');
    const built = hashesOf(path.join(ROOT, 'dist'));
    expect(Object.keys(built).length).toBeGreaterThan(100);
    expect(hashesOf(path.join(folder, 'dist')), 'they differ, or dist/ is older than its sources').toEqual(built);
    // What is under test was built and packed in a folder of another name, with another umask and another time zone.
    const archive = `berth-${version}.tgz`;
    expect(hashOf(path.join(folder, archive))).toBe(hashOf(path.join(inject('underTest').folder, archive)));
  },
);
