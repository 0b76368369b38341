import type { SettingsView, Sink, Terminal } from '../core/context.ts';
import { EXIT, type ExitCode } from '../core/exit-codes.ts';
import { Failure, type FailureFacts, messageOf, printedFacts } from '../core/failure.ts';
import { linesOf, type PrintedPart, printedParts } from '../core/message.ts';
import { safeText, type SafeText, say, type TerminalText } from '../core/safe-text.ts';
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
  if (found.exit === EXIT.done) return found.exit;
  const text =
    as === 'json'
      ? errorJson(printedFacts(found, to.settings), to.terminal.errors)
      : errorLines(found, to, await loadPaint(to.terminal.colour.errors), await loadWrap(to.terminal));
  await to.stderr.write(text);
  return found.exit;
}

const MAX_MESSAGE = 500;

const bug = (error: unknown): FailureFacts => ({
  code: 'bug',
  exit: EXIT.bug,
  message: `this is a bug in berth: ${messageOf(error).slice(0, MAX_MESSAGE) || 'no message'}`,
  hint: 'Please report it, with the command line and what --verbose prints.',
});

const errorJson = ({ exit: _, ...error }: ReturnType<typeof printedFacts>, onTerminal: boolean): TerminalText =>
  styled`${escapeJson(JSON.stringify({ error }, undefined, onTerminal ? 2 : 0))}\n`;

const PREFIX = say`error: `;
const ARROW = say`  -> `;

type Wrap = (parts: readonly PrintedPart[], indent: string) => readonly SafeText[];

async function loadWrap({ errorColumns }: FailureOutput['terminal']): Promise<Wrap> {
  if (errorColumns === undefined) return (parts) => [safeText(parts.map(({ text }) => text).join(''))];
  const { wrapParts } = await import('./text/wrap-message.ts');
  return (parts, indent) => wrapParts(parts, errorColumns, indent);
}

/** What happened, a line for each part that failed, and a line for each thing to do. */
function errorLines(facts: FailureFacts, { settings }: FailureOutput, paint: Paint, wrap: Wrap): TerminalText {
  const [first = PREFIX, ...others] = wrap([{ text: `${PREFIX}${whatHappened(facts)}`, isCommand: false }], '  ');
  const hints = linesOf(facts.hint).flatMap((line) =>
    wrap([{ text: ARROW, isCommand: false }, ...printedParts(line, settings)], ' '.repeat(ARROW.length)),
  );
  const lines = [
    styled`${paint(PREFIX, 'bad')}${paint(safeText(first.slice(PREFIX.length)), 'strong')}`,
    ...others.map((line) => paint(line, 'strong')),
    ...(facts.errors ?? []).flatMap((each) => wrap([{ text: `  - ${each}`, isCommand: false }], '    ')),
    ...hints.map((line) =>
      line.startsWith(ARROW) ? styled`${paint(ARROW, 'busy')}${safeText(line.slice(ARROW.length))}` : line,
    ),
  ];
  return styled`${joinText(lines, '\n')}\n`;
}

/** The message with what the service said and the id, where it does not name them (specification 7.1). */
function whatHappened({ message, status, title, detail, id }: FailureFacts): string {
  const answer = [[status, title].filter((part) => part !== undefined).join(' '), detail].filter(
    (part) => part !== undefined && part !== '' && part !== title && !message.includes(part),
  );
  const whole = [message, ...answer].join(': ');
  return id === undefined || whole.includes(id) ? whole : `${whole} (${id})`;
}
