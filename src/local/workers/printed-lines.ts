/** Limits of the printed text that is kept: characters per line, lines per second, and characters per second. */
const MAX_LINE_LENGTH = 2000;
const MAX_LINES_PER_SECOND = 1000;
const MAX_CHARACTERS_PER_SECOND = 200_000;
const TAIL_LINES = 20;

interface PrintedLines {
  /** Pieces of any size. */
  readonly add: (text: string) => void;
  /** Passes on an incomplete last line, and how many lines were left out. */
  readonly end: () => void;
  /** Oldest first, with those that were left out. */
  readonly tail: () => readonly string[];
}

/** Constant memory: long lines are cut; lines beyond the limits per second are counted and left out. */
export function createPrintedLines(monotonic: () => number, onLine: (line: string) => void): PrintedLines {
  let incomplete = '';
  let latest: string[] = [];
  let second = Math.floor(monotonic() / 1000);
  let lines = 0;
  let characters = 0;
  let leftOut = 0;

  const tellLeftOut = (): void => {
    if (leftOut > 0) onLine(`(${String(leftOut)} lines left out: more than a worker's log takes)`);
    leftOut = 0;
  };

  const addLine = (full: string): void => {
    const line = full.length > MAX_LINE_LENGTH ? `${full.slice(0, MAX_LINE_LENGTH)}...` : full;
    latest.push(line);
    if (latest.length > 2 * TAIL_LINES) latest = latest.slice(-TAIL_LINES);
    const now = Math.floor(monotonic() / 1000);
    if (now !== second) {
      second = now;
      lines = 0;
      characters = 0;
      tellLeftOut();
    }
    lines += 1;
    characters += line.length;
    if (lines > MAX_LINES_PER_SECOND || characters > MAX_CHARACTERS_PER_SECOND) leftOut += 1;
    else onLine(line);
  };

  return {
    add: (text) => {
      let from = 0;
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
        addLine(lastShown(incomplete + text.slice(from, at)));
        incomplete = '';
        from = at + 1;
      }
      const rest = text.slice(from);
      const redrawn = rest.lastIndexOf('\r', rest.length - 2);
      if (redrawn >= 0) incomplete = rest.slice(redrawn + 1, redrawn + 2 * MAX_LINE_LENGTH);
      // Characters beyond the limit of a line are not kept, so memory does not grow before the line ends.
      else if (incomplete.length <= MAX_LINE_LENGTH) incomplete += rest.slice(0, 2 * MAX_LINE_LENGTH);
    },
    end: () => {
      if (incomplete !== '') addLine(lastShown(incomplete));
      incomplete = '';
      tellLeftOut();
    },
    tail: () => latest.slice(-TAIL_LINES),
  };
}

export interface PrintedStreams extends Omit<PrintedLines, 'add'> {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** A line of one stream is not cut by the other. */
export function createPrintedStreams(monotonic: () => number, onLine: (line: string) => void): PrintedStreams {
  const lines = createPrintedLines(monotonic, onLine);
  const errors = createPrintedLines(monotonic, (line) => {
    lines.add(`${line}\n`);
  });
  return {
    stdout: lines.add,
    stderr: errors.add,
    end: () => {
      errors.end();
      lines.end();
    },
    tail: lines.tail,
  };
}

/** The number that a worker's log keeps. */
const MAX_UNRECORDED = 200;

/** Only the latest are kept. */
export interface UnrecordedLines {
  readonly add: (line: string) => void;
  /** Removes them; oldest first. */
  readonly take: () => readonly string[];
}

export function createUnrecordedLines(): UnrecordedLines {
  let lines: string[] = [];
  return {
    add: (line) => {
      lines.push(line);
      if (lines.length > 2 * MAX_UNRECORDED) lines = lines.slice(-MAX_UNRECORDED);
    },
    take: () => lines.splice(0),
  };
}

/** A progress bar redraws the line after each carriage return. */
function lastShown(line: string): string {
  const whole = line.replace(/\r+$/, '');
  return whole.slice(whole.lastIndexOf('\r') + 1);
}
