import { Transform } from 'node:stream';
import type { Input } from '../runtime/runtime.ts';

/** The keys of a terminal for one question. Sets the modes of that terminal. */
export interface KeySteps {
  readonly input: Input;
  /** Gives the terminal back, and stops reading it. */
  readonly release: () => void;
}

/**
 * Gives a question what is typed in steps: a paste, or fast typing over a slow line, comes as one chunk with its Enter, and a
 * menu looks for its matches only after the keys of a step. A new step begins before each control character, which is where
 * Enter and the arrow keys begin.
 */
export function keysInSteps(stdin: Input): KeySteps {
  const steps = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      // No byte of a longer character of UTF-8 is a control character.
      // eslint-disable-next-line no-control-regex -- they are what is looked for
      const parts = chunk.toString('latin1').split(/(?=[\0-\x1f\x7f])/);
      const next = (): void => {
        const part = parts.shift();
        if (part === undefined) {
          done();
          return;
        }
        this.push(Buffer.from(part, 'latin1'));
        setImmediate(next);
      };
      next();
    },
  });
  stdin.pipe(steps);
  return {
    input: Object.assign(steps, { setRawMode: (raw: boolean) => stdin.setRawMode?.(raw) }),
    release: () => {
      stdin.unpipe(steps);
      stdin.pause();
    },
  };
}
