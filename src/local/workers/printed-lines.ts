/** Limits of the printed text that is kept: characters per line, lines per second, and characters per second. */
const MAX_LINE_LENGTH = 2000;
const MAX_LINES_PER_SECOND = 1000;
const MAX_CHARACTERS_PER_SECOND = 200_000;
const TAIL_LINES = 20;
/** Of the lines beyond the limits of a second: what a program prints before it crashes says why. */
const NEWEST_LINES = 100;

/** Constant memory: long lines are cut, and of the lines beyond the limits of a second only the newest are passed on. */
export function createPrintedLines(monotonic: () => number, onLine: (line: string) => void) {
  let incomplete = '';
  let latest: string[] = [];
  let second = Math.floor(monotonic() / 1000);
  let lines = 0;
  let characters = 0;
  let leftOut = 0;
  let newest: string[] = [];

  const passNewest = (): void => {
    const rest = newest.slice(-NEWEST_LINES);
    leftOut += newest.length - rest.length;
    if (leftOut > 0) onLine(`(${String(leftOut)} lines left out: more than a worker's log takes)`);
    rest.forEach(onLine);
    leftOut = 0;
    newest = [];
  };

  const startSecond = (): void => {
    const now = Math.floor(monotonic() / 1000);
    if (now === second) return;
    second = now;
    lines = 0;
    characters = 0;
    passNewest();
  };

  const addLine = (full: string): void => {
    const line = full.length > MAX_LINE_LENGTH ? `${full.slice(0, MAX_LINE_LENGTH)}...` : full;
    latest.push(line);
    if (latest.length > 2 * TAIL_LINES) latest = latest.slice(-TAIL_LINES);
    startSecond();
    lines += 1;
    characters += line.length;
    if (lines <= MAX_LINES_PER_SECOND && characters <= MAX_CHARACTERS_PER_SECOND) {
      onLine(line);
      return;
    }
    newest.push(line);
    if (newest.length < 2 * NEWEST_LINES) return;
    newest = newest.slice(-NEWEST_LINES);
    leftOut += NEWEST_LINES;
  };

  return {
    /** Pieces of any size. */
    add: (text: string): void => {
      let from = 0;
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
        addLine(lastShown(incomplete + text.slice(from, at)));
        incomplete = '';
        from = at + 1;
      }
      const rest = text.slice(from);
      const redrawn = rest.lastIndexOf('\r', rest.length - 2);
      // A progress bar shows where it is once a second.
      if (redrawn >= 0 && Math.floor(monotonic() / 1000) !== second) addLine(lastShown(rest));
      if (redrawn >= 0) incomplete = rest.slice(redrawn + 1, redrawn + 2 * MAX_LINE_LENGTH);
      // Characters beyond the limit of a line are not kept, so memory does not grow before the line ends.
      else if (incomplete.length <= MAX_LINE_LENGTH) incomplete += rest.slice(0, 2 * MAX_LINE_LENGTH);
    },
    /** Passes on an incomplete last line, and how many lines were left out. */
    end: (): void => {
      if (incomplete !== '') addLine(lastShown(incomplete));
      incomplete = '';
      passNewest();
    },
    /** Oldest first, with those that were left out. */
    tail: (): readonly string[] => latest.slice(-TAIL_LINES),
  };
}

export type PrintedStreams = ReturnType<typeof createPrintedStreams>;

/** A line of one stream is not cut by the other. */
export function createPrintedStreams(monotonic: () => number, onLine: (line: string) => void) {
  const lines = createPrintedLines(monotonic, onLine);
  const errors = createPrintedLines(monotonic, (line) => {
    lines.add(`${line}\n`);
  });
  return {
    stdout: lines.add,
    stderr: errors.add,
    end: (): void => {
      errors.end();
      lines.end();
    },
    tail: lines.tail,
  };
}

/** A progress bar redraws the line after each carriage return. */
function lastShown(line: string): string {
  const whole = line.replace(/\r+$/, '');
  return whole.slice(whole.lastIndexOf('\r') + 1);
}
