import type { State } from '../../state/state.ts';
import type { PodEvent } from './record.ts';
import { pods } from './seed.ts';

/** A name with escape sequences for colour, the window title and the clipboard, and a change of the text direction. */
const HOSTILE_NAME =
  'evil \u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b]52;c;ZXZpbA==\u0007 \u009b2J \u202egnp.exe\u202c\ttab\nline';

/** A log line with the same, but without a line end. */
const HOSTILE_LINE = 'fatal \u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b]52;c;ZXZpbA==\u0007 \u202egnp.exe\u202c';

const LONG_NAME = `a-very-long-name-${'that-goes-on-and-on-'.repeat(12)}and-ends`;

/** Gives two pods of a new account names that are difficult to print, and one of them such a log line. */
export function giveOddTexts(state: State): void {
  const broken = pods.find(state, 'pod-broken');
  broken.name = HOSTILE_NAME;
  broken.history = broken.history.map((event): PodEvent =>
    event.kind === 'fail' ? { ...event, lastLine: HOSTILE_LINE } : event,
  );
  pods.find(state, 'pod-stopped').name = LONG_NAME;
}
