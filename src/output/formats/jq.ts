import type { Blocking } from '../../core/context.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Jq } from 'jq-wasm/inline';
import { harmlessJson } from './escape-json.ts';

/** What jq exits with when an expression does not compile. */
const DOES_NOT_COMPILE = 3;

/**
 * Compiles a `--jq` expression and runs it on nothing: to be called before a request is sent, so that a typing error
 * costs none. Fails with usage (2) and jq's own message.
 */
export async function checkJq(expression: string, blocking: Blocking = direct): Promise<void> {
  const { exitCode, stderr } = await run('', expression, [], blocking);
  if (exitCode === DOES_NOT_COMPILE) throw jqFailure(stderr, EXIT.usage);
}

export interface JqOptions {
  /** One result a line. */
  readonly compact: boolean;
  /** Text as it is, without its quotes: for a script that wants the value. */
  readonly raw: boolean;
  /** A person's screen: what could mislead a terminal is a visible escape. */
  readonly onScreen: boolean;
  /** What ends an expression that never ends by itself. */
  readonly blocking?: Blocking | undefined;
}

const direct: Blocking = (work) => work();

export interface JqResult {
  /** jq's results, one after the other as jq prints them; empty where there is none. */
  readonly text: string;
  /** Why jq stopped before its end, with exit code 1; what it had printed by then is in `text`. */
  readonly failure: Failure | undefined;
}

/**
 * Runs a real jq (compiled to WebAssembly, loaded here and nowhere else) on a JSON text. Results are JSON, text in its
 * quotes unless `raw`: indented as jq indents, or with `compact` one a line. Numbers that are only passed on stay exact.
 */
export async function runJq(json: string, expression: string, options: JqOptions): Promise<JqResult> {
  const { compact, raw, onScreen, blocking = direct } = options;
  const flags = [...(compact ? ['-c'] : []), ...(raw ? ['-r'] : [])];
  const { stdout, stderr, exitCode } = await run(json, expression, flags, blocking);
  const harmless = raw ? (text: string) => safeText(text, true) : harmlessJson;
  const text = onScreen ? harmless(stdout) : stdout;
  return { text: text === '' ? '' : `${text}\n`, failure: exitCode === 0 ? undefined : jqFailure(stderr, EXIT.bug) };
}

async function run(json: string, expression: string, flags: readonly string[], blocking: Blocking) {
  const jq = await (loading ??= import('jq-wasm/inline').then(({ loadJq }) => loadJq()));
  // After `--` an expression that begins with a dash is no option.
  return blocking(() => jq.raw(json, expression, [...flags, '--']));
}

/** Compiled once for both runs: the package keeps it so too, but only for calls whose work no signal can end. */
let loading: Promise<Jq> | undefined;

/**
 * 2 promises that nothing was sent, which holds for an expression that does not compile; one that fails on what the
 * service answered has no code of its own.
 */
const jqFailure = (stderr: string, exit: ExitCode): Failure =>
  new Failure({ code: 'jq', exit, message: `--jq: ${jqMessage(stderr)}`, hint: HINT });

const HINT = 'Look at what --json prints without --jq, and mind that the shell needs quotes around an expression.';

/** What jq says in one line: without its own name, and without the drawing of where it stopped. */
const jqMessage = (stderr: string): string =>
  (stderr.replace(/^jq: (?:error(?: \(at [^)]*\))?: )?/, '').split('\n')[0] ?? '').replace(/[\s:]+$/, '') ||
  'jq stopped';
