/**
 * A set of small numbers from 0, one bit each. Creates a set of numbers below `size` that has the members of `bytes`,
 * which may be shorter.
 */
export function createBitmap(size: number, bytes: Uint8Array = new Uint8Array(0)) {
  const bits = new Uint8Array(Math.ceil(size / 8));
  bits.set(bytes.subarray(0, bits.length));
  const mask = (index: number): number => 1 << (index & 7);
  const at = (index: number): number => bits[index >> 3] ?? 0;
  return {
    has: (index: number): boolean => (at(index) & mask(index)) !== 0,
    add: (index: number): void => {
      bits[index >> 3] = at(index) | mask(index);
    },
    remove: (index: number): void => {
      bits[index >> 3] = at(index) & ~mask(index);
    },
    count: (): number => bits.reduce((sum, byte) => sum + onesOf(byte), 0),
    /** The bits, as `createBitmap` takes them. */
    bytes: (): Uint8Array => bits.slice(),
  };
}

function onesOf(byte: number): number {
  let ones = 0;
  for (let rest = byte; rest !== 0; rest >>= 1) ones += rest & 1;
  return ones;
}
