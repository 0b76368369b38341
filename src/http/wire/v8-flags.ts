import type * as V8 from 'node:v8';

/** The default budgets before V8 recompiles a WebAssembly function, in the versions since Node 20. */
const DEFAULT_BUDGETS = [1_800_000, 13_000_000];

const NEVER = 1_000_000_000;

/** Flags that are on by default, in every version since Node 20. */
const SKIPPED = ['regexp-optimization', 'regexp-peephole-optimization'];

/**
 * Sets the flags of V8 for a command that sends a few requests and ends. They skip work that takes longer than it saves in
 * such a command:
 *
 * - WebAssembly that is loaded from now on is not recompiled. The HTTP parser is WebAssembly, and recompiling it keeps a
 *   process busy for longer than the whole command.
 * - Regular expressions are compiled without optimization. That of Node for IPv6 addresses, which is tested with every host
 *   name, takes 5 ms with it.
 *
 * Returns a function that undoes this. Load every module before, and call it once there is an answer: while the flags
 * differ from those at the start, V8 rejects the code cache of Node's own modules, and of berth's.
 */
export function skipOptimizations({ cachedDataVersionTag, setFlagsFromString }: typeof V8): () => void {
  // V8 does not report the value of a flag, but this tag is a hash of all of them.
  const flags = cachedDataVersionTag();
  setFlagsFromString(`--wasm-tiering-budget=${String(NEVER)}`);
  for (const name of SKIPPED) setFlagsFromString(`--no-${name}`);
  return () => {
    for (const name of SKIPPED) setFlagsFromString(`--${name}`);
    DEFAULT_BUDGETS.some((budget) => {
      setFlagsFromString(`--wasm-tiering-budget=${String(budget)}`);
      return cachedDataVersionTag() === flags;
    });
  };
}
