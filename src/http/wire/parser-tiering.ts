const NEVER = 1_000_000_000;

/** The default budgets before V8 recompiles a WebAssembly function, in the versions since Node 20. */
const DEFAULT_BUDGETS = [1_800_000, 13_000_000];

/**
 * Stops V8 from recompiling WebAssembly that is loaded from now on. The HTTP parser is WebAssembly, and recompiling it
 * keeps a process busy for longer than a whole command takes.
 *
 * Returns a function that undoes this. Call it once the parser is loaded: while its flags differ from those at the
 * start, V8 rejects the code cache of every file that berth still has to load.
 */
export async function keepParserAsCompiled(): Promise<() => void> {
  const { cachedDataVersionTag, setFlagsFromString } = await import('node:v8');
  const setBudget = (budget: number): void => {
    setFlagsFromString(`--wasm-tiering-budget=${String(budget)}`);
  };
  // V8 does not report the value of a flag, but this tag is a hash of all of them.
  const flags = cachedDataVersionTag();
  setBudget(NEVER);
  return () => {
    DEFAULT_BUDGETS.some((budget) => {
      setBudget(budget);
      return cachedDataVersionTag() === flags;
    });
  };
}
