import type { Jq } from 'jq-wasm/inline';
import type { Blocking } from '../../core/context.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import { formatBytes } from '../../core/units.ts';
import { escapeJson } from './json.ts';

interface JqOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** A document with fewer characters is filtered before V8 could have recompiled jq. */
const SMALL = 1_000_000;

/** Flags of V8 that are on by default, in every version since Node 20. */
const TIER_UP = ['wasm-tier-up', 'wasm-dynamic-tiering'];

/** Small documents run without V8 recompilation, which takes longer. Undefined when jq runs out of memory. */
async function callJq(
  json: string,
  expression: string,
  flags: readonly string[],
  blocking: Blocking,
): Promise<JqOutput | undefined> {
  // Load it, `crypto` and `navigator` before V8's flags change: later loads miss the code cache.
  const { loadJq } = await import('jq-wasm/inline');
  globalThis.crypto.getRandomValues(new Uint8Array(1));
  Reflect.get(globalThis, 'navigator');
  const size = json.length < SMALL ? 'small' : 'large';
  const restore = size === 'small' ? await stopTierUp() : () => undefined;
  try {
    const jq = await (loaded[size] ??= loadJq());
    // After `--`, an expression that begins with a dash is not parsed as an option.
    return blocking(() => jq.raw(json, expression, [...flags, '--']));
  } catch (error) {
    if (!(error instanceof Error && /Aborted\(|memory access|unreachable/.test(error.message))) throw error;
    // This instance cannot be used again.
    loaded[size] = undefined;
    return undefined;
  } finally {
    restore();
  }
}

/** The package's cache only serves uninterruptible calls. Compiled without tier-up must also run without. */
const loaded: { small?: Promise<Jq> | undefined; large?: Promise<Jq> | undefined } = {};

async function stopTierUp(): Promise<() => void> {
  const { setFlagsFromString } = await import('node:v8');
  for (const name of TIER_UP) setFlagsFromString(`--no-${name}`);
  return () => {
    for (const name of TIER_UP) setFlagsFromString(`--${name}`);
  };
}

/** jq's exit code for an expression that does not compile. */
const COMPILE_ERROR = 3;

/** Call it before a request is sent. Fails with usage (2) and jq's own message. */
export async function checkJq(expression: string, blocking: Blocking = runDirectly): Promise<void> {
  const result = await callJq('', expression, [], blocking);
  if (result?.exitCode === COMPILE_ERROR) throw jqFailure(result.stderr, EXIT.usage);
}

interface JqOptions {
  readonly compact: boolean;
  readonly raw: boolean;
  readonly onTerminal: boolean;
  /** Runs jq so that a signal can end an expression that never ends. */
  readonly blocking?: Blocking | undefined;
}

const runDirectly: Blocking = (work) => work();

export interface JqResult {
  readonly text: string;
  /** Why jq stopped early, with exit code 1; `text` has the results before that. */
  readonly failure: Failure | undefined;
}

/** Numbers that the expression does not change stay exact. */
export async function runJq(json: string, expression: string, options: JqOptions): Promise<JqResult> {
  const { compact, raw, onTerminal, blocking = runDirectly } = options;
  const flags = [...(compact ? ['-c'] : []), ...(raw ? ['-r'] : [])];
  const result = await callJq(json, expression, flags, blocking);
  if (result === undefined) return { text: '', failure: outOfMemory(json) };
  const { stdout, stderr, exitCode } = result;
  const escape = raw ? (text: string) => safeText(text, true) : escapeJson;
  const text = onTerminal ? escape(stdout) : stdout;
  return { text: text === '' ? '' : `${text}\n`, failure: exitCode === 0 ? undefined : jqFailure(stderr, EXIT.bug) };
}

/** The WebAssembly build has at most 256 MiB of memory. */
const outOfMemory = (json: string): Failure =>
  new Failure({
    code: 'jq',
    exit: EXIT.bug,
    message: `--jq: the built-in jq ran out of memory (256 MB) on a document of ${formatBytes(json.length)}`,
    hint: 'Give it less with --fields or the filters of the command, or pipe --json to the jq program.',
  });

/** `exit` is 2 for an expression that does not compile: nothing was sent then. */
const jqFailure = (stderr: string, exit: ExitCode): Failure =>
  new Failure({ code: 'jq', exit, message: `--jq: ${jqMessage(stderr)}`, hint: HINT });

const HINT = 'Look at what --json prints without --jq, and mind that the shell needs quotes around an expression.';

const jqMessage = (stderr: string): string =>
  (stderr.replace(/^jq: (?:error(?: \(at [^)]*\))?: )?/, '').split('\n')[0] ?? '').replace(/[\s:]+$/, '') ||
  'jq stopped';
