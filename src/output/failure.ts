import type { Sink, Terminal } from '../core/context.ts';
import { EXIT, type ExitCode } from '../core/exit-codes.ts';
import { Failure, type FailureFacts } from '../core/failure.ts';
import { safeText, say, type SafeText, type TerminalText } from '../core/safe-text.ts';
import { formatDuration } from '../core/units.ts';
import { drawn, joined } from './layout/drawn.ts';
import { harmlessJson } from './formats/escape-json.ts';
import { loadPaint, type Paint } from './layout/colour.ts';

interface FailureOutput {
  readonly stderr: Sink<TerminalText>;
  readonly terminal: Pick<Terminal, 'errors' | 'errorColumns' | 'colour'>;
}

/**
 * Says on stderr why a command ended, and gives the exit code it ends with. As text it is one block: what happened,
 * why, what to do next. As JSON it is one object on one line. All of it is harmless, none of it a stack trace. What is
 * no Failure is a bug (1); a reader that went away (0) needs no word.
 */
export async function renderFailure(error: unknown, as: 'text' | 'json', to: FailureOutput): Promise<ExitCode> {
  const facts = error instanceof Failure ? error.facts() : bug(error);
  if (facts.exit === EXIT.done) return facts.exit;
  const text =
    as === 'json'
      ? errorJson(facts)
      : errorBlock(facts, await loadPaint(to.terminal.colour.errors), await loadProse(to.terminal.errorColumns));
  await to.stderr.write(text);
  return facts.exit;
}

/** As much of an unforeseen error's message as is shown. */
const LONGEST = 500;

const bug = (error: unknown): FailureFacts => ({
  code: 'bug',
  exit: EXIT.bug,
  message: `this is a bug in berth: ${(error instanceof Error ? error.message : String(error)).slice(0, LONGEST) || 'no message'}`,
  hint: 'Please report it, with the command line and what --verbose prints.',
});

const errorJson = ({ exit: _, ...said }: FailureFacts): TerminalText =>
  drawn`${harmlessJson(JSON.stringify({ error: said }))}\n`;

const HEAD = say`error: `;

/** Breaks a line of so many columns; loaded only where there is a terminal. */
async function loadProse(columns: number | undefined): Promise<(line: SafeText) => SafeText> {
  if (columns === undefined) return (line) => line;
  const { prose } = await import('./layout/wrap-text.ts');
  return (line) => prose(line, columns);
}

function errorBlock(facts: FailureFacts, paint: Paint, broken: (line: SafeText) => SafeText): TerminalText {
  const { message, hint, request, id, retryAfter } = facts;
  const lines = [
    painted(broken(say`${HEAD}${message}`), HEAD, (head, rest) => drawn`${paint(head, 'bad')}${paint(rest, 'strong')}`),
    ...why(facts).map((line) => broken(say`  ${line}`)),
    ...(retryAfter === undefined ? [] : [say`  wait ${formatDuration(retryAfter * 1000)} before trying again`]),
    ...(hint?.split('\n') ?? []).map((line) =>
      painted(broken(say`  -> ${line}`), ARROW, (arrow, rest) => drawn`${paint(arrow, 'busy')}${rest}`),
    ),
    ...(id === undefined || message.includes(id) ? [] : [paint(say`  id: ${id}`, 'quiet')]),
    ...(request === undefined ? [] : [paint(broken(say`  request: ${request.method} ${request.url}`), 'quiet')]),
  ];
  return drawn`${joined(lines, '\n')}\n`;
}

const ARROW = say`  ->`;

/** A text in two looks: its head, and what follows. */
const painted = (
  text: SafeText,
  head: SafeText,
  paint: (head: SafeText, rest: SafeText) => TerminalText,
): TerminalText => paint(head, safeText(text.slice(head.length), true));

/** The service's own words, as far as the message does not say them already (specification 7.1). */
function why({ message, status, title, detail, errors }: FailureFacts): readonly string[] {
  const head = [status === undefined ? undefined : String(status), title]
    .filter((part) => part !== undefined)
    .join(' ');
  const tail = detail === undefined || detail === title || message.includes(detail) ? undefined : detail;
  const answer = [message.includes(head) ? undefined : head, tail]
    .filter((part) => part !== undefined && part !== '')
    .join(': ');
  return [...(answer === '' ? [] : [answer]), ...(errors ?? []).map((each) => `- ${each}`)];
}
