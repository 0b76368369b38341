/** What is known of how fast a batch goes. */
export interface Speed {
  /** Items a second; undefined before there is one to tell. */
  readonly perSecond: number | undefined;
  /** It has been about the same for a while: what is left may be told from it. */
  readonly steady: boolean;
}

/** How many items had ended, at a moment in milliseconds. */
interface Look {
  readonly at: number;
  readonly ended: number;
}

/** The rate is that of the last so many milliseconds, or of the last so many items where these took longer. */
const WINDOW_MS = 30_000;
const WINDOW_ITEMS = 20;
/**
 * It is steady where so many items ended in so many milliseconds at least, and one half of them took not much longer than
 * the other. Once it is, it takes more to make it unsteady: what is shown must not come and go.
 */
const LEAST_MS = 2000;
const LEAST_ITEMS = 6;
const ALIKE = 1.6;
const APART = 3;
/** Looks that are kept, evenly spread over the window. */
const KEPT = 120;

/** A meter that is told, as time goes on, how many items have ended. What had ended at the first look does not count. */
export function createMeter(): (at: number, ended: number) => Speed {
  let looks: readonly Look[] = [];
  let steady = false;
  return (at, ended) => {
    const last = looks.at(-1);
    // A service that starts up says nothing of how fast it is: the time before the first end does not count.
    if (looks.length === 1 && last?.ended === ended) looks = [];
    looks = inWindow([...looks, { at, ended }]);
    const speed = speedOf(looks, steady ? APART : ALIKE);
    steady = speed.steady;
    return speed;
  };
}

/** The looks of the window: of those that lie closer together than `KEPT` of them would, the later ones count. */
function inWindow(looks: readonly Look[]): readonly Look[] {
  const now = looks.at(-1);
  if (now === undefined) return looks;
  const old = looks.findLastIndex(({ at, ended }) => now.at - at >= WINDOW_MS && now.ended - ended >= WINDOW_ITEMS);
  const within = looks.slice(Math.max(0, old));
  const apart = (now.at - (within[0]?.at ?? now.at)) / KEPT;
  const kept: Look[] = [];
  for (const look of within) {
    const [before, last] = [kept.at(-2), kept.at(-1)];
    if (before !== undefined && last !== undefined && look.at - before.at < apart) kept.pop();
    kept.push(look);
  }
  return kept;
}

function speedOf(looks: readonly Look[], most: number): Speed {
  const [first, last] = [looks[0], looks.at(-1)];
  if (first === undefined || last === undefined || last.at <= first.at || last.ended <= first.ended)
    return { perSecond: undefined, steady: false };
  const whole = between(first, last);
  const half = looks.findLast(({ at }) => at <= (first.at + last.at) / 2) ?? first;
  const [before, after] = [between(first, half), between(half, last)];
  const alike = Math.max(before, after) <= most * Math.min(before, after);
  const long = last.at - first.at >= LEAST_MS && last.ended - first.ended >= LEAST_ITEMS;
  return { perSecond: whole, steady: long && alike };
}

const between = (from: Look, to: Look): number =>
  to.at <= from.at ? 0 : ((to.ended - from.ended) / (to.at - from.at)) * 1000;
