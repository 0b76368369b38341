/** The bytes that all downloads of a run may have together. */
export interface ByteBudget {
  /** False once a file did not fit: then no other download starts. */
  readonly isOpen: boolean;
  /** Takes bytes that are about to be written. Returns false, and closes the budget, when they do not fit. */
  take(bytes: number): boolean;
  /** Closes the budget when this many bytes would not fit. Returns whether they fit. */
  fits(bytes: number): boolean;
  /** Gives back the bytes of a file that was removed. */
  giveBack(bytes: number): void;
}

export function createByteBudget(maxBytes: number): ByteBudget {
  let left = maxBytes;
  let isOpen = true;
  const fits = (bytes: number): boolean => {
    if (bytes > left) isOpen = false;
    return bytes <= left;
  };
  return {
    get isOpen() {
      return isOpen;
    },
    take: (bytes) => {
      if (!fits(bytes)) return false;
      left -= bytes;
      return true;
    },
    fits,
    giveBack: (bytes) => {
      left += bytes;
    },
  };
}
