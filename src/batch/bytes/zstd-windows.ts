/** What the header of a Zstandard frame says about the memory that the frame needs. */
export interface FrameWindow {
  /** Bytes that a decoder keeps; for a single segment the size of the whole content. */
  readonly bytes: number;
  readonly isSingleSegment: boolean;
}

/** What is read next: `bytes` bytes after `skip` others, for `then`, which returns what is read after these. */
interface Step {
  readonly skip: number;
  readonly bytes: number;
  readonly then: (bytes: Buffer) => Step | undefined;
}

const MAGIC = 0xfd2fb528;
/** The last four bits differ. */
const SKIPPABLE_MAGIC = 0x184d2a50;
const RLE = 1;
const RESERVED = 3;

/**
 * Returns a function that takes Zstandard data in chunks of any size and calls `onFrame` with each frame of it (RFC 8878,
 * section 3.1.1), before that frame is decoded: a decoder allocates the window that a header asks for. Decodes nothing.
 * Damaged data is left to the decoder.
 */
export function createWindowCheck(onFrame: (window: FrameWindow) => void): (chunk: Uint8Array) => void {
  const nextFrame = (skip = 0): Step => ({ skip, bytes: 4, then: magic });
  const magic = (bytes: Buffer): Step | undefined => {
    const value = bytes.readUInt32LE(0);
    if (value === MAGIC) return { skip: 0, bytes: 1, then: descriptor };
    const isSkippable = (value & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC;
    return isSkippable ? { skip: 0, bytes: 4, then: (size) => nextFrame(size.readUInt32LE(0)) } : undefined;
  };
  const descriptor = ([flags = 0]: Buffer): Step => {
    const isSingleSegment = (flags & 0x20) !== 0;
    const dictionary = ([0, 1, 2, 4] as const)[flags & 3] ?? 0;
    const content = flags >> 6 === 0 ? Number(isSingleSegment) : 2 ** (flags >> 6);
    const before = isSingleSegment ? 0 : 1;
    return {
      skip: 0,
      bytes: before + dictionary + content,
      then: (bytes) => {
        const size = isSingleSegment ? contentSize(bytes.subarray(dictionary)) : windowSize(bytes[0] ?? 0);
        onFrame({ bytes: size, isSingleSegment });
        return nextBlock((flags & 4) === 0 ? 0 : 4);
      },
    };
  };
  /** `checksum` is the number of bytes after the last block. */
  const nextBlock = (checksum: number, skip = 0): Step => ({
    skip,
    bytes: 3,
    then: (bytes) => {
      const header = bytes.readUIntLE(0, 3);
      const type = (header >> 1) & 3;
      if (type === RESERVED) return undefined;
      const size = type === RLE ? 1 : header >> 3;
      return (header & 1) === 0 ? nextBlock(checksum, size) : nextFrame(size + checksum);
    },
  });

  let step: Step | undefined = nextFrame();
  let skip = 0;
  let held = Buffer.alloc(0);
  return (chunk) => {
    let at = 0;
    while (step !== undefined) {
      const skipped = Math.min(skip, chunk.byteLength - at);
      skip -= skipped;
      at += skipped;
      const missing = step.bytes - held.byteLength;
      if (skip > 0 || (at === chunk.byteLength && missing > 0)) return;
      held = Buffer.concat([held, chunk.subarray(at, at + missing)]);
      at = Math.min(chunk.byteLength, at + missing);
      if (held.byteLength < step.bytes) return;
      const found: Buffer = held;
      held = Buffer.alloc(0);
      step = step.then(found);
      skip = step?.skip ?? 0;
    }
  };
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

/** A size in two bytes is stored without its first 256. */
const contentSize = (field: Uint8Array): number =>
  field.reduceRight((value, byte) => value * 256 + byte, 0) + (field.byteLength === 2 ? 256 : 0);
