import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOUNS } from '../../src/registry.ts';
import { berthPath, cleanEnvironment, isPackage, nodePath, runProgram, temporaryFolder } from './support.ts';
import { hasTerminal, programInTerminal } from './terminal.ts';

const has = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;
const hasDpkg = has('dpkg-deb', '--version');
const WITHOUT = hasDpkg ? '' : ' (skipped: this needs dpkg-deb)';

describe.skipIf(!hasDpkg || !isPackage)(`the Debian package${WITHOUT}`, () => {
  let folder = '';
  let archive = '';
  /** A root folder in which nothing but the package is installed. */
  let root = '';

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'berth-debian-'));
    root = path.join(folder, 'root');
    const env = { ...process.env, DEBEMAIL: 'authors@berth.test' };
    execFileSync(process.execPath, ['scripts/debian.mjs', folder], { stdio: 'pipe', env });
    archive = path.join(folder, readdirSync(folder).find((name) => name.endsWith('_all.deb')) ?? '');
    installInto(root, archive);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('runs from an empty root', async () => {
    const env = await cleanEnvironment();
    const ended = await runProgram(nodePath(), [path.join(root, 'usr/bin/berth'), '--local', 'pods', 'list'], { env });
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
    expect(ended.stdout).toContain('pod-train');
    expect(execFileSync('head', ['-1', path.join(root, 'usr/bin/berth')], { encoding: 'utf8' })).toBe(
      '#!/usr/bin/node\n',
    );
  });

  test('writes only below /usr, with links that lead to files of the package', () => {
    expect(readdirSync(root).filter((name) => name !== 'var')).toEqual(['usr']);
    const entries = readdirSync(path.join(root, 'usr'), { recursive: true, withFileTypes: true });
    const links = entries
      .filter((entry) => lstatSync(path.join(entry.parentPath, entry.name)).isSymbolicLink())
      .map((entry) => path.join(entry.parentPath, entry.name));
    expect(links).toHaveLength(4);
    for (const link of links) expect(realpathSync(link)).toContain(path.join(realpathSync(root), 'usr/share/berth/'));
  });

  test.skipIf(!has('man', '--version'))('has its man pages where man looks for them', () => {
    for (const name of ['berth', ...NOUNS.map((noun) => `berth-${noun.name}`)]) {
      const file = execFileSync('man', ['-M', path.join(root, 'usr/share/man'), '-w', name], { encoding: 'utf8' });
      expect(file.trim()).toBe(path.join(root, `usr/share/man/man1/${name}.1.gz`));
    }
  });

  test('has its licences, and those of the packages in it', () => {
    const read = (name: string): string =>
      execFileSync('zcat', ['-f', path.join(root, 'usr/share/doc/berth', name)], { encoding: 'utf8' });
    expect(read('copyright')).toContain('MIT License');
    expect(read('THIRD-PARTY-LICENSES.txt.gz')).toMatch(/^undici \d/m);
    expect(JSON.parse(read('sbom.cdx.json.gz'))).toMatchObject({ bomFormat: 'CycloneDX' });
  });

  test.skipIf(!has('lintian', '--version'))('is accepted by lintian', () => {
    // It leaves temporary files.
    const env = { ...process.env, TMPDIR: folder };
    const { status, stdout } = spawnSync('lintian', ['--no-cfg', archive], { encoding: 'utf8', env });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });

  /** How each shell finds the completions of the package in its folder. */
  const SHELLS = {
    bash: (home: string) => {
      const script = path.join(root, 'usr/share/bash-completion/completions/berth');
      writeFileSync(path.join(home, 'bashrc'), `PS1='ready> '\nunset HISTFILE\nsource '${script}'\n`);
      return ['bash', '--rcfile', path.join(home, 'bashrc'), '-i'];
    },
    zsh: (home: string) => {
      const functions = path.join(root, 'usr/share/zsh/vendor-completions');
      const lines = ["PS1='ready> '", `fpath=('${functions}' $fpath)`, 'autoload -Uz compinit', 'compinit -u -D'];
      writeFileSync(path.join(home, '.zshrc'), lines.join('\n'));
      return ['env', `ZDOTDIR=${home}`, 'zsh', '-i'];
    },
    fish: () => {
      const prompt = "function fish_prompt; echo -n 'ready> '; end; function fish_greeting; end";
      const completions = path.join(root, 'usr/share/fish/vendor_completions.d');
      return ['fish', '--private', '--no-config', '-C', `${prompt}; set -p fish_complete_path '${completions}'`];
    },
  } as const;

  test.for(['bash', 'zsh', 'fish'] as const)('%s completes from the files of the package', async (shell, { skip }) => {
    skip(!hasTerminal || !has(shell, '-c', 'true'), 'tmux or the shell is missing');
    const env = await cleanEnvironment();
    const home = await temporaryFolder();
    const PATH = `${path.dirname(berthPath())}${path.delimiter}${env['PATH'] ?? ''}`;
    const terminal = await programInTerminal({ columns: 100, rows: 24 }, SHELLS[shell](home), { ...env, PATH });
    await terminal.waitFor('ready>');
    terminal.type('berth pods res');
    terminal.press('Tab');
    await terminal.waitFor('berth pods restart');
  });
});

/** Installs the archive into a root folder: with dpkg where that is allowed, otherwise it is only unpacked. */
function installInto(root: string, archive: string): void {
  mkdirSync(path.join(root, 'var/lib/dpkg'), { recursive: true });
  if (process.geteuid?.() !== 0) {
    execFileSync('dpkg-deb', ['-x', archive, root]);
    return;
  }
  for (const name of ['status', 'available']) writeFileSync(path.join(root, 'var/lib/dpkg', name), '');
  for (const name of ['info', 'updates']) mkdirSync(path.join(root, 'var/lib/dpkg', name));
  // Node is a dependency, and it is not installed into this root.
  execFileSync('dpkg', [`--root=${root}`, '--force-depends', '--install', archive], { stdio: 'pipe' });
  if (!existsSync(path.join(root, 'usr/bin/berth'))) throw new Error('dpkg installed nothing');
}
