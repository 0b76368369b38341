import type { Blocking } from '../../core/context.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import { formatBytes } from '../../core/units.ts';
import { escapeJson } from './escape-json.ts';
import { callJq } from './jq-engine.ts';

/** jq's exit code for an expression that does not compile. */
const COMPILE_ERROR = 3;

const STEP = String.raw`(?:[A-Za-z_]\w*|\[\d{0,9}\])`;
const PATH = String.raw`\.(?:${STEP}(?:\.[A-Za-z_]\w*|\[\d{0,9}\])*)?`;
const PATHS = new RegExp(String.raw`^\s*${PATH}(?:\s*\|\s*${PATH})*\s*$`);
const MAX_PATHS_LENGTH = 200;

/** Whether an expression consists of paths, such as `.[].id` or `.a | .b[0]`: these always compile. */
export const isPaths = (expression: string): boolean => expression.length <= MAX_PATHS_LENGTH && PATHS.test(expression);

/**
 * Checks that a `--jq` expression compiles. Called before a request is sent, so that a typing error costs none. Fails with
 * usage (2) and jq's own message.
 */
export async function checkJq(expression: string, blocking: Blocking = runDirectly): Promise<void> {
  if (isPaths(expression)) return;
  const result = await callJq('', expression, [], blocking);
  if (result?.exitCode === COMPILE_ERROR) throw jqFailure(result.stderr, EXIT.usage);
}

export interface JqOptions {
  /** Prints each result on one line. */
  readonly compact: boolean;
  /** Prints a string without its quotes, for scripts. */
  readonly raw: boolean;
  /** Escapes characters that could mislead a terminal. */
  readonly onTerminal: boolean;
  /** Runs jq so that a signal can end an expression that never ends. */
  readonly blocking?: Blocking | undefined;
}

const runDirectly: Blocking = (work) => work();

export interface JqResult {
  /** The results as jq prints them; empty when there is none. */
  readonly text: string;
  /** Why jq stopped early, with exit code 1; `text` has the results before that. */
  readonly failure: Failure | undefined;
}

/**
 * Runs jq (compiled to WebAssembly, loaded only here) on a JSON text. Results are JSON, indented as jq does or with
 * `compact` one on each line. Numbers that the expression does not change stay exact.
 */
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

/**
 * `exit` is 2 for an expression that does not compile, because nothing was sent then. An expression that fails on an
 * answer has no exit code of its own.
 */
const jqFailure = (stderr: string, exit: ExitCode): Failure =>
  new Failure({ code: 'jq', exit, message: `--jq: ${jqMessage(stderr)}`, hint: HINT });

const HINT = 'Look at what --json prints without --jq, and mind that the shell needs quotes around an expression.';

/** Returns the first line of jq's message, without its name. Further lines only mark the position. */
const jqMessage = (stderr: string): string =>
  (stderr.replace(/^jq: (?:error(?: \(at [^)]*\))?: )?/, '').split('\n')[0] ?? '').replace(/[\s:]+$/, '') ||
  'jq stopped';
