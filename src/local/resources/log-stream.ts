import { encodeJson } from '../../core/json.ts';
import type { Call, Reply } from '../frame/operation.ts';
import { unprocessable } from '../contract/problem.ts';
import type { State } from '../state/state.ts';

export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly source: 'container' | 'system';
  readonly line: string;
}

/**
 * What logs: a function of the state and nothing else, so that the same lines come back whoever asks, when, and from
 * which process. What happened before a moment is told by the state at that moment, and no later state tells it otherwise.
 */
export interface LogSource {
  /** The first moment there may be a line: milliseconds since the epoch. Throws the 404 Problem where nothing logs. */
  readonly begin: (state: State) => number;
  /** Every line with `from <= at < to`, in order. Asked for once what logs is gone: none. */
  readonly lines: (state: State, from: number, to: number) => readonly LogLine[];
}

/**
 * A place between lines, as the id of an event: RFC 3339 with the line's number among those of its millisecond in the
 * six digits after the third. It sorts as text.
 */
interface NumberedLine extends LogLine {
  readonly cursor: string;
}

const DEFAULT_TAIL = 100;
/** How often a follower looks for new lines: milliseconds. */
const LOOK_MS = 500;
/** Looks without a new line until a comment shows that the connection is alive. */
const QUIET_LOOKS = 30;
/** How much of the past one step reads, and how far back the search for the last lines begins: milliseconds. */
const PAGE_MS = 86_400_000;
const FIRST_SPAN_MS = 3_600_000;
/** Lines that go out as one piece. */
const PIECE = 500;

/**
 * Answers with a stream of server-sent events that stays open until the caller hangs up: what was logged as the query
 * asks (`Last-Event-ID` wins over `since`, and that over `tail`), then new lines as the clock moves (contract rules,
 * Pods: logs). Lines of a moment go out once it is over, so that their order is settled. Throws the 404 Problem of the
 * source, and 422 for a `Last-Event-ID` that is none.
 */
export async function logStream(call: Call, source: LogSource): Promise<Reply> {
  const start = await call.transact((state, now) => startOf(call, source, state, now));
  return { status: 200, stream: follow(call, source, start) };
}

interface Start {
  /** The moment to read on from: milliseconds since the epoch. */
  readonly from: number;
  /** True for the lines that are wanted of those at `from` and later. */
  readonly wanted: (line: NumberedLine) => boolean;
}

async function* follow(call: Call, source: LogSource, start: Start): AsyncGenerator<string> {
  const only = call.query.get('source');
  // At once, so that the caller sees the answer begin where nothing is logged yet.
  let quiet = QUIET_LOOKS;
  for (let from = start.from; ;) {
    const page = await read(call, source, from);
    const lines = page.lines.filter((line) => (only === null || line.source === only) && start.wanted(line));
    for (let at = 0; at < lines.length; at += PIECE)
      yield lines
        .slice(at, at + PIECE)
        .map(event)
        .join('');
    quiet = lines.length > 0 ? 0 : quiet + 1;
    if (quiet > QUIET_LOOKS) {
      yield ': nothing new\n\n';
      quiet = 0;
    }
    from = page.to;
    if (page.isLast && !(await rest(call))) return;
  }
}

/** False where the caller has hung up or the service stops. */
async function rest(call: Call): Promise<boolean> {
  try {
    await call.sleep(LOOK_MS);
  } catch (error) {
    if (!call.signal.aborted) throw error;
  }
  return !call.signal.aborted;
}

const read = (call: Call, source: LogSource, from: number) =>
  call.transact((state, now) => {
    const to = Math.max(from, Math.min(now, from + PAGE_MS));
    return { lines: numbered(source.lines(state, from, to)), to, isLast: to >= now };
  });

function startOf(call: Call, source: LogSource, state: State, now: number): Start {
  const begin = source.begin(state);
  const { query, headers } = call;
  const lastEventId = headers['last-event-id'];
  const seen = cursorOf(lastEventId ?? '');
  // To go on from anywhere else would lose lines or repeat them.
  if (lastEventId !== undefined && seen === undefined)
    throw unprocessable(['header Last-Event-ID: must be the id of an event, a date and time']);
  if (seen !== undefined) return { from: Math.max(begin, seen.at), wanted: ({ cursor }) => cursor > seen.cursor };
  const since = cursorOf(query.get('since') ?? '');
  if (since !== undefined) return { from: Math.max(begin, since.at), wanted: ({ cursor }) => cursor >= since.cursor };
  const tail = Number(query.get('tail') ?? DEFAULT_TAIL);
  const only = query.get('source');
  const last = tail === 0 ? undefined : lastLines(source, state, begin, now, tail, only)[0];
  return last === undefined
    ? { from: tail === 0 ? now : Math.min(begin, now), wanted: () => true }
    : { from: last.at, wanted: ({ cursor }) => cursor >= last.cursor };
}

/** The last so many lines before now: looks back further and further until there are enough. */
function lastLines(
  source: LogSource,
  state: State,
  begin: number,
  now: number,
  tail: number,
  only: string | null,
): readonly NumberedLine[] {
  for (let span = FIRST_SPAN_MS; ; span *= 2) {
    const from = Math.max(begin, now - span);
    const lines = numbered(source.lines(state, from, now)).filter((line) => only === null || line.source === only);
    if (lines.length >= tail || from === begin) return lines.slice(-tail);
  }
}

function numbered(lines: readonly LogLine[]): readonly NumberedLine[] {
  let number = 0;
  return lines.map((line, index) => {
    number = lines[index - 1]?.at === line.at ? number + 1 : 0;
    return { ...line, cursor: cursorText(line.at, String(number).padStart(6, '0')) };
  });
}

const cursorText = (at: number, digits: string): string => new Date(at).toISOString().replace('Z', `${digits}Z`);

/** A moment as a caller gives it, in any offset and with any fraction; undefined where it is none. */
function cursorOf(text: string): { readonly at: number; readonly cursor: string } | undefined {
  const [, seconds, fraction = '', offset] = /^(.{19})(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/i.exec(text.trim()) ?? [];
  const whole = Date.parse(`${seconds ?? ''}${offset ?? ''}`);
  if (Number.isNaN(whole)) return undefined;
  const digits = fraction.padEnd(9, '0').slice(0, 9);
  const at = whole + Number(digits.slice(0, 3));
  return { at, cursor: cursorText(at, digits.slice(3)) };
}

const event = ({ cursor, source, line }: NumberedLine): string =>
  `id: ${cursor}\ndata: ${encodeJson({ ts: cursor, source, line })}\n\n`;
