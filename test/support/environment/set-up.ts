import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { parentFolder } from './parent-folder.ts';
import { testEnvironment, UMASK } from './test-environment.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The environment of the caller, for programs that download what a test needs. No test may depend on it. */
    callerEnvironment: Readonly<Record<string, string>>;
  }
}

/**
 * Gives the processes of a test run an environment, a umask and a temporary directory of their own, so that the result does not
 * depend on those of the caller. At the end, the run fails if a test has left a file in the directory. Such files are removed too.
 */
export function setup(project: TestProject): () => void {
  const before = { ...process.env };
  const umaskBefore = process.umask(UMASK);
  project.provide('callerEnvironment', before as Readonly<Record<string, string>>);
  // A space and a letter beyond ASCII: all tests must work in such a path. Short, because paths of sockets have about a hundred
  // bytes at most.
  const root = mkdtempSync(join(parentFolder(), 'bérth t-'));
  // Some tests run a program as another user, who must be able to enter the directory.
  chmodSync(root, 0o711);
  replaceEnvironment(testEnvironment(before, root));
  return () => {
    replaceEnvironment(before);
    process.umask(umaskBefore);
    const left = readdirSync(root);
    rmSync(root, { recursive: true, force: true });
    if (left.length === 0) return;
    console.error(`FAILED: tests left files in the temporary directory: ${left.join(', ')}`);
    // The runner prints an error that a teardown throws, but does not fail.
    process.exitCode = 1;
  };
}

function replaceEnvironment(variables: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env))
    if (variables[name] === undefined) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, variables);
}
