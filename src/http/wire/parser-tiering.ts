const NEVER = 1_000_000_000;

/** What V8 counts down from before it compiles a WebAssembly function anew, in the versions since Node 20. */
const USUAL = [1_800_000, 13_000_000];

/**
 * V8 leaves WebAssembly that is loaded from now on as it was first compiled. The HTTP parser is such, and compiling it
 * anew keeps a process busy for longer than a whole command takes.
 *
 * Gives back what undoes it, to be called once the parser is loaded: with other flags than it was started with, V8
 * refuses the compiled form of every file of ours that is still to be loaded.
 */
export async function keepParserAsCompiled(): Promise<() => void> {
  const { cachedDataVersionTag, setFlagsFromString } = await import('node:v8');
  const allow = (budget: number): void => {
    setFlagsFromString(`--wasm-tiering-budget=${String(budget)}`);
  };
  // V8 does not tell the value of a flag; but this number is made of all of them.
  const flags = cachedDataVersionTag();
  allow(NEVER);
  return () => {
    USUAL.some((budget) => {
      allow(budget);
      return cachedDataVersionTag() === flags;
    });
  };
}
