import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder into which berth is installed, as a user would have it. */
    installed: string;
  }
}

/**
 * Packs the built program and installs the archive into a folder of its own, from nothing but that archive: it must
 * carry all it needs. Gives back what removes it.
 */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-e2e-'));
  const npm = (...args: string[]): string =>
    execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  npm('pack', '--ignore-scripts', '--pack-destination', folder);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (archive === undefined) throw new Error('npm pack made no archive');
  const prefix = path.join(folder, 'prefix');
  npm('install', '--global', '--offline', '--no-audit', '--no-fund', '--prefix', prefix, path.join(folder, archive));
  project.provide('installed', prefix);
  return () => {
    rmSync(folder, { recursive: true, force: true });
  };
}
