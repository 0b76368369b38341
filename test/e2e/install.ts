import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';

/** What the end-to-end tests start. All of them get it from here, by the functions of support.ts. */
interface UnderTest {
  /** A folder that is removed after the run. */
  readonly folder: string;
  /** The folder of the command `berth`. */
  readonly bin: string;
  /** The folder of the `node` that runs the package. */
  readonly nodeBin: string;
  /** Where npm has installed the package, as a user would have it. Absent where an executable is under test. */
  readonly prefix?: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    underTest: UnderTest;
  }
}

/** The Node that runs the package; by default the one that runs the tests. */
const NODE = process.env['BERTH_E2E_NODE'];
/** An executable to test in the place of the package. */
const PROGRAM = process.env['BERTH_E2E_PROGRAM'];

/**
 * Prepares what the tests start: the package by default, with the Node of BERTH_E2E_NODE if that is set, or the executable of
 * BERTH_E2E_PROGRAM. Returns the function that removes it.
 */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-e2e-'));
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    project.provide('underTest', prepare(folder));
  } catch (error) {
    remove();
    throw error;
  }
  return remove;
}

function prepare(folder: string): UnderTest {
  const nodeBin = linkAlone(folder, 'node', NODE ?? process.execPath);
  const program = PROGRAM === undefined ? installPackage(folder) : { bin: linkAlone(folder, 'berth', PROGRAM) };
  if (NODE !== undefined || PROGRAM !== undefined) console.log(`note: under test: ${describe(program.bin, nodeBin)}`);
  return { folder, nodeBin, ...program };
}

/** Links to a program by a name, in a folder that holds nothing else. Returns that folder. */
function linkAlone(folder: string, name: string, program: string): string {
  const bin = path.join(folder, `${name}-bin`);
  mkdirSync(bin);
  symlinkSync(path.resolve(program), path.join(bin, name));
  return bin;
}

/** Packs the built program and installs the archive into an empty prefix, offline: the archive must have all it needs. */
function installPackage(folder: string): { readonly bin: string; readonly prefix: string } {
  const npm = (...args: string[]): string =>
    execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  npm('pack', '--ignore-scripts', '--pack-destination', folder);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (archive === undefined) throw new Error('npm pack made no archive');
  const prefix = path.join(folder, 'prefix');
  npm('install', '--global', '--offline', '--no-audit', '--no-fund', '--prefix', prefix, path.join(folder, archive));
  return { bin: path.join(prefix, 'bin'), prefix };
}

/** The version of the program, and that of its Node. Fails where either does not run. */
function describe(bin: string, nodeBin: string): string {
  const node = path.join(nodeBin, 'node');
  const env = { ...process.env, PATH: [nodeBin, process.env['PATH'] ?? ''].join(path.delimiter) };
  const version = (program: string): string => execFileSync(program, ['--version'], { encoding: 'utf8', env }).trim();
  const berth = `berth ${version(path.join(bin, 'berth'))}`;
  return PROGRAM === undefined ? `${berth} with Node ${version(node)}` : `${berth}, the executable ${PROGRAM}`;
}
