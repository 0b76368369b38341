import { expect } from 'vitest';
import type { ExitCode } from '../../../src/core/exit-codes.ts';
import { KEY, pointedAt, serve, type Behaviour, type ScriptedServer } from '../servers/scripted-server.ts';
import { berth, type Ran } from './run-berth.ts';
import type { TestWorldOptions } from './test-world.ts';

/** Checks that the output holds neither a stack trace nor the key. This must hold for every run. */
export function expectNoKeyNoStack({ out, err }: Pick<Ran, 'out' | 'err'>): void {
  expect(`${out}\n${err}`).not.toMatch(/\n\s+at /);
  expect(out + err).not.toContain(KEY);
}

/** The error object of `--json`. Members that do not apply are absent. */
export interface ErrorObject {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly status?: number;
  readonly detail?: string;
  readonly errors?: readonly string[];
  readonly retryAfter?: number;
  readonly request?: { readonly method: string; readonly url: string };
  readonly id?: string;
}

export interface Expected {
  readonly exit: ExitCode;
  /** What the error must contain, as text and as JSON. */
  readonly says: readonly (string | RegExp)[];
  /** What was printed on stdout before the failure; nothing by default. */
  readonly out?: RegExp;
  /** The notes on stderr before the error; none by default. */
  readonly told?: RegExp;
}

export interface Failed {
  /** The error of the run with --json. */
  readonly error: ErrorObject;
  /** The error block of the run without --json. */
  readonly block: string;
  /** The server of each run: first the run without --json, then the one with it. */
  readonly servers: readonly [ScriptedServer, ScriptedServer];
  readonly runs: readonly [Ran, Ran];
}

/**
 * Runs a command that must fail, once without and once with --json, each run in a new world and against a new server.
 * Checks what holds for every failure: the exit code, no stack trace, no key, only data on stdout, and an error that
 * says what happened and what to do.
 */
export async function fails(
  argv: readonly string[],
  expected: Expected,
  script: readonly Behaviour[] = [],
  options: TestWorldOptions = {},
): Promise<Failed> {
  const servers = [await serve(script), await serve(script)] as const;
  const run = (server: ScriptedServer, flags: readonly string[]): Promise<Ran> =>
    berth([...flags, ...argv], { ...options, env: { ...pointedAt(server.url), ...options.env } });
  const runs = [await run(servers[0], []), await run(servers[1], ['--json'])] as const;
  const block = expectBlock(runs[0], expected);
  const error = expectErrorObject(runs[1], expected);
  return { error, block, servers, runs };
}

/** Checks the error block of a run without --json. */
export function expectBlock(ran: Ran, expected: Expected): string {
  expectEnd(ran, expected);
  const at = ran.err.lastIndexOf('error: ');
  expectTold(ran.err.slice(0, Math.max(0, at)), expected);
  const block = ran.err.slice(at);
  expect(block).toMatch(/^error: \S/);
  expect(block, 'a failure says what to do next').toMatch(/\n {2}(-> \S|wait )/);
  for (const words of expected.says) expect(block).toMatch(words);
  return block;
}

/** Checks the error object of a run with --json: exactly one, on the last line of stderr. */
export function expectErrorObject(ran: Ran, expected: Expected): ErrorObject {
  expectEnd(ran, expected);
  const lines = ran.err.trimEnd().split('\n');
  const last = lines.pop() ?? '';
  expectTold(lines.map((line) => `${line}\n`).join(''), expected);
  const { error, ...others } = JSON.parse(last) as { readonly error: ErrorObject };
  expect(others).toEqual({});
  expect(error).toMatchObject({ code: expect.stringMatching(/^[a-z-]+$/) as string });
  const words = [error.message, error.hint, error.detail, ...(error.errors ?? [])].join('\n');
  for (const word of expected.says) expect(words).toMatch(word);
  return error;
}

function expectEnd(ran: Ran, expected: Expected): void {
  expectNoKeyNoStack(ran);
  expect(ran.code, ran.err).toBe(expected.exit);
  expect(ran.out).toMatch(expected.out ?? /^$/);
}

function expectTold(before: string, { told }: Expected): void {
  if (told === undefined) expect(before).toBe('');
  else expect(before).toMatch(told);
}

/** Runs a command that must end 0 against a server, and checks the output for keys and stack traces. */
export async function works(
  argv: readonly string[],
  script: readonly Behaviour[],
  options: TestWorldOptions = {},
): Promise<Ran & { readonly server: ScriptedServer }> {
  const server = await serve(script);
  const ran = await berth(argv, { ...options, env: { ...pointedAt(server.url), ...options.env } });
  expectNoKeyNoStack(ran);
  expect(ran.code, ran.err).toBe(0);
  return { ...ran, server };
}
