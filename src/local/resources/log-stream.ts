import { encodeJson } from '../../core/json.ts';
import { DAY_MS, type EpochMs, HOUR_MS, type Milliseconds } from '../../core/unit-types.ts';
import { unprocessable } from '../contract/problem.ts';
import type { Call, Reply } from '../http/operation.ts';
import type { State } from '../state/state.ts';

export interface LogLine {
  readonly at: EpochMs;
  readonly source: 'container' | 'system';
  readonly line: string;
}

export const systemLine = (at: number, line: string): LogLine => ({ at, source: 'system', line });
export const containerLine = (at: number, line: string): LogLine => ({ at, source: 'container', line });

export const linesOfFailedStart = (at: number, lastLine: string): readonly LogLine[] => [
  containerLine(at, lastLine),
  systemLine(at, 'container exited with code 1: it does not start'),
];

/** Computed from the state only: every process returns the same lines, and past lines never change. */
export interface LogSource {
  readonly begin: (state: State, now: EpochMs) => EpochMs;
  /** The lines with `from <= at < to`, in order; none when the pod or worker was removed meanwhile. */
  readonly lines: (state: State, from: number, to: number) => readonly LogLine[];
}

/** The cursor is RFC 3339 plus six digits that number the lines of a millisecond: it sorts as text. */
interface NumberedLine extends LogLine {
  readonly cursor: string;
}

const DEFAULT_TAIL = 100;
const POLL_INTERVAL_MS: Milliseconds = 500;
const POLLS_PER_KEEP_ALIVE = 30;
const LINES_PER_CHUNK = 500;

/** Lines are sent when their millisecond is over, so their order is final. 422: bad `Last-Event-ID`. */
export async function logStream(call: Call, source: LogSource): Promise<Reply> {
  const only = call.query.get('source');
  const linesIn = (state: State, from: number, to: number): readonly NumberedLine[] =>
    numbered(source.lines(state, from, to)).filter((line) => only === null || line.source === only);
  const start = await call.transact((state, now) => startOf(call, linesIn, source.begin(state, now), state, now));

  async function* follow(): AsyncGenerator<string> {
    // A comment is due at once, so that the answer starts even when nothing was logged yet.
    let emptyPolls = POLLS_PER_KEEP_ALIVE;
    for (let { from } = start; ;) {
      const page = await call.transact((state, now) => {
        const to = Math.max(from, Math.min(now, from + DAY_MS));
        return { lines: linesIn(state, from, to).filter(start.isWanted), to, isLast: to >= now };
      });
      for (let at = 0; at < page.lines.length; at += LINES_PER_CHUNK)
        yield page.lines
          .slice(at, at + LINES_PER_CHUNK)
          .map(event)
          .join('');
      emptyPolls = page.lines.length > 0 ? 0 : emptyPolls + 1;
      if (emptyPolls > POLLS_PER_KEEP_ALIVE) {
        yield ': nothing new\n\n';
        emptyPolls = 0;
      }
      from = page.to;
      if (page.isLast)
        await call.sleep(POLL_INTERVAL_MS).catch((error: unknown) => {
          if (!call.signal.aborted) throw error;
        });
      if (call.signal.aborted) return;
    }
  }
  return { status: 200, stream: follow() };
}

interface Start {
  readonly from: EpochMs;
  readonly isWanted: (line: NumberedLine) => boolean;
}

type LinesIn = (state: State, from: number, to: number) => readonly NumberedLine[];

function startOf({ query, headers }: Call, linesIn: LinesIn, begin: EpochMs, state: State, now: EpochMs): Start {
  const lastEventId = headers['last-event-id'];
  const seen = cursorOf(lastEventId ?? '');
  // Starting anywhere else would lose or repeat lines.
  if (lastEventId !== undefined && seen === undefined)
    throw unprocessable(['header Last-Event-ID: must be the id of an event, a date and time']);
  if (seen !== undefined) return { from: Math.max(begin, seen.at), isWanted: ({ cursor }) => cursor > seen.cursor };
  const since = cursorOf(query.get('since') ?? '');
  if (since !== undefined) return { from: Math.max(begin, since.at), isWanted: ({ cursor }) => cursor >= since.cursor };
  const tail = Number(query.get('tail') ?? DEFAULT_TAIL);
  if (tail === 0) return { from: now, isWanted: () => true };
  // The time range is doubled until there are enough.
  for (let range = HOUR_MS; ; range *= 2) {
    const from = Math.max(begin, now - range);
    const lines = linesIn(state, from, now);
    if (lines.length < tail && from > begin) continue;
    const [first] = lines.slice(-tail);
    if (first === undefined) return { from: Math.min(begin, now), isWanted: () => true };
    return { from: first.at, isWanted: ({ cursor }) => cursor >= first.cursor };
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

/** Any offset and any fraction of a second; undefined when it is invalid. */
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
