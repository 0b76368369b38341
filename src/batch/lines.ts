/** A line as it lies in a file, without its end. Offsets are bytes from where reading began. */
export interface Line {
  readonly bytes: Uint8Array;
  readonly start: number;
  /** Just behind its line feed. */
  readonly end: number;
  /** False for what follows the last line feed. */
  readonly whole: boolean;
  /** True where it is longer than was asked for; its bytes are then left out. */
  readonly tooLong: boolean;
}

const LINE_FEED = 0x0a;
const NOTHING = new Uint8Array(0);

/**
 * Cuts pieces of a file into lines, holding one line at a time. Of one longer than `most` bytes only its place is given.
 * The bytes are the file's own memory: copy what is to be kept.
 */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Line> {
  for await (const lines of lineGroups(pieces, most)) yield* lines;
}

/**
 * The lines of a file by the pieces they end in, for whoever reads millions: a wait for each would take longer than the
 * line. A group is cut while it is walked, so walk each to its end, before the next.
 */
export async function* lineGroups(pieces: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Iterable<Line>> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let tooLong = false;
  let start = 0;
  let offset = 0;

  const take = (last: Uint8Array): Uint8Array => {
    if (tooLong) return NOTHING;
    return held.length === 0 ? last : Buffer.concat([...held, last]);
  };
  const hold = (piece: Uint8Array): void => {
    heldBytes += piece.byteLength;
    tooLong ||= heldBytes > most;
    held = tooLong ? [] : [...held, piece];
  };

  function* cut(piece: Uint8Array): Generator<Line> {
    for (let at = 0; at < piece.byteLength;) {
      const feed = piece.indexOf(LINE_FEED, at);
      if (feed < 0) {
        hold(piece.subarray(at));
        break;
      }
      tooLong ||= heldBytes + feed - at > most;
      const end = offset + feed + 1;
      yield { bytes: take(piece.subarray(at, feed)), start, end, whole: true, tooLong };
      if (heldBytes > 0) [held, heldBytes] = [[], 0];
      [tooLong, start] = [false, end];
      at = feed + 1;
    }
    offset += piece.byteLength;
  }

  for await (const piece of pieces) yield cut(piece);
  if (heldBytes > 0) yield [{ bytes: take(NOTHING), start, end: offset, whole: false, tooLong }];
}
