import type { SettingsView, Sink, Terminal } from '../core/context.ts';
import { EXIT, type ExitCode } from '../core/exit-codes.ts';
import {
  Failure,
  type FailureFacts,
  messageOf,
  printedFacts,
  type PrintedFacts,
  type RequestName,
} from '../core/failure.ts';
import { linesOf, type PrintedPart, printedParts } from '../core/message.ts';
import { safeText, type SafeText, say, type TerminalText } from '../core/safe-text.ts';
import { formatDuration } from '../core/units.ts';
import { escapeJson } from './formats/json.ts';
import { loadPaint, type Paint } from './text/colour.ts';
import { joinText, styled } from './text/terminal-text.ts';

interface FailureOutput {
  readonly stderr: Sink<TerminalText>;
  readonly terminal: Pick<Terminal, 'errors' | 'errorColumns' | 'colour'>;
  readonly settings: Pick<SettingsView, 'accountWords'>;
}

/** Returns the exit code; prints nothing for a closed pipe (0). An error that is not a Failure is a bug (1). */
export async function renderFailure(error: unknown, as: 'text' | 'json', to: FailureOutput): Promise<ExitCode> {
  const found = error instanceof Failure ? error.facts() : bug(error);
  const facts = printedFacts(found, to.settings);
  if (facts.exit === EXIT.done) return facts.exit;
  const hints = linesOf(found.hint).map((line) => printedParts(line, to.settings));
  const text =
    as === 'json'
      ? errorJson(facts, to.terminal.errors)
      : errorBlock(facts, hints, await loadPaint(to.terminal.colour.errors), await loadWrap(to.terminal.errorColumns));
  await to.stderr.write(text);
  return facts.exit;
}

const MAX_MESSAGE = 500;

const bug = (error: unknown): FailureFacts => ({
  code: 'bug',
  exit: EXIT.bug,
  message: `this is a bug in berth: ${messageOf(error).slice(0, MAX_MESSAGE) || 'no message'}`,
  hint: 'Please report it, with the command line and what --verbose prints.',
});

const errorJson = ({ exit: _, ...error }: PrintedFacts, onTerminal: boolean): TerminalText =>
  styled`${escapeJson(JSON.stringify({ error }, undefined, onTerminal ? 2 : 0))}\n`;

const PREFIX = say`error: `;

type Wrap = (line: SafeText | readonly PrintedPart[]) => SafeText;

async function loadWrap(columns: number | undefined): Promise<Wrap> {
  if (columns === undefined)
    return (line) => (typeof line === 'string' ? line : safeText(line.map(({ text }) => text).join('')));
  const { wrapMessage } = await import('./text/wrap-message.ts');
  return (line) => wrapMessage(line, columns);
}

function errorBlock(
  facts: PrintedFacts,
  hints: readonly (readonly PrintedPart[])[],
  paint: Paint,
  wrap: Wrap,
): TerminalText {
  const { message, request, id, retryAfter } = facts;
  const lines = [
    paintPrefixed(
      wrap(say`${PREFIX}${message}`),
      PREFIX,
      (prefix, rest) => styled`${paint(prefix, 'bad')}${paint(rest, 'strong')}`,
    ),
    ...serviceLines(facts).map((line) => wrap(say`  ${line}`)),
    ...(retryAfter === undefined ? [] : [say`  wait ${formatDuration(retryAfter * 1000)} before trying again`]),
    ...hints.map((parts) =>
      paintPrefixed(wrap(withArrow(parts)), ARROW, (arrow, rest) => styled`${paint(arrow, 'busy')}${rest}`),
    ),
    ...(id === undefined || message.includes(id) ? [] : [paint(say`  id: ${id}`, 'quiet')]),
    ...(request === undefined ? [] : [paint(wrap(requestLine(request)), 'quiet')]),
  ];
  return styled`${joinText(lines, '\n')}\n`;
}

const ARROW = say`  ->`;

const withArrow = (parts: readonly PrintedPart[]): readonly PrintedPart[] => [
  { text: `${ARROW} `, isCommand: false },
  ...parts.map((part) => ({ ...part, text: safeText(part.text) })),
];

const requestLine = ({ method, url, id }: RequestName): SafeText =>
  say`  request: ${method} ${url}${id === undefined ? '' : ` (id ${id})`}`;

const paintPrefixed = (
  text: SafeText,
  prefix: SafeText,
  paint: (prefix: SafeText, rest: SafeText) => TerminalText,
): TerminalText => paint(prefix, safeText(text.slice(prefix.length), true));

/** Returns what the service said, without what the message says already (specification 7.1). */
function serviceLines({ message, status, title, detail, errors }: PrintedFacts): readonly string[] {
  const head = [status === undefined ? undefined : String(status), title]
    .filter((part) => part !== undefined)
    .join(' ');
  const tail = detail === undefined || detail === title || message.includes(detail) ? undefined : detail;
  const answer = [message.includes(head) ? undefined : head, tail]
    .filter((part) => part !== undefined && part !== '')
    .join(': ');
  return [...(answer === '' ? [] : [answer]), ...(errors ?? []).map((each) => `- ${each}`)];
}
