import type { Sink, Terminal } from '../core/context.ts';
import { EXIT, type ExitCode } from '../core/exit.ts';
import { Failure, type FailureFacts } from '../core/failure.ts';
import { safeText } from '../core/safe.ts';
import { formatDuration } from '../core/units.ts';
import { harmlessJson } from './harmless-json.ts';
import { loadPaint, type Paint } from './tone.ts';

interface FailureOutput {
  readonly stderr: Sink;
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
      ? errorJson(facts, to.terminal.errors)
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

function errorJson({ exit: _, ...said }: FailureFacts, onScreen: boolean): string {
  const json = JSON.stringify({ error: said });
  return `${onScreen ? harmlessJson(json) : json}\n`;
}

const HEAD = 'error: ';

/** Breaks a line of so many columns; loaded only where there is a terminal. */
async function loadProse(columns: number | undefined): Promise<(line: string) => string> {
  if (columns === undefined) return (line) => line;
  const { prose } = await import('./prose.ts');
  return (line) => prose(line, columns);
}

function errorBlock(facts: FailureFacts, paint: Paint, broken: (line: string) => string): string {
  const { message, hint, request, id, retryAfter } = facts;
  const lines = [
    paint(HEAD, 'bad') + paint(broken(HEAD + safeText(message)).slice(HEAD.length), 'strong'),
    ...why(facts).map((line) => broken(`  ${safeText(line)}`)),
    ...(retryAfter === undefined ? [] : [`  wait ${formatDuration(retryAfter * 1000)} before trying again`]),
    ...(hint?.split('\n') ?? []).map((line) => broken(`  -> ${safeText(line)}`).replace('->', paint('->', 'busy'))),
    ...(id === undefined || message.includes(id) ? [] : [paint(`  id: ${safeText(id)}`, 'quiet')]),
    ...(request === undefined
      ? []
      : [paint(broken(`  request: ${safeText(`${request.method} ${request.url}`)}`), 'quiet')]),
  ];
  return `${lines.join('\n')}\n`;
}

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
