/** Bytes that one side adds and the other takes in order. */
export interface ByteQueue {
  add(bytes: Uint8Array): void;
  /** No more are added; what is there is still taken. */
  end(): void;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export function createByteQueue(): ByteQueue {
  const waiting: Uint8Array[] = [];
  let isEnded = false;
  let wake = (): void => undefined;
  async function* take(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else if (isEnded) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  return {
    add: (bytes) => {
      waiting.push(bytes);
      wake();
    },
    end: () => {
      isEnded = true;
      wake();
    },
    bytes: take(),
  };
}
