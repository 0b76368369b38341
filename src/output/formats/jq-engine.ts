import type { Jq } from 'jq-wasm/inline';
import type { Blocking } from '../../core/context.ts';

export interface JqOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** A document with fewer characters is filtered before V8 could have recompiled jq. */
const SMALL = 1_000_000;

/** Flags of V8 that are on by default, in every version since Node 20. */
const TIER_UP = ['wasm-tier-up', 'wasm-dynamic-tiering'];

/**
 * Runs jq, which is compiled to WebAssembly, and loaded with the first call. For a small document V8 does not recompile
 * it, which would take longer than the filter. Returns undefined when jq runs out of memory.
 */
export async function callJq(
  json: string,
  expression: string,
  flags: readonly string[],
  blocking: Blocking,
): Promise<JqOutput | undefined> {
  // Before V8's flags change: it rejects the code cache of what is loaded after that. jq takes random numbers from `crypto`,
  // which Node loads when it is first used, and looks for `navigator`, which Node has since version 21.
  const { loadJq } = await import('jq-wasm/inline');
  globalThis.crypto.getRandomValues(new Uint8Array(1));
  Reflect.get(globalThis, 'navigator');
  const size = json.length < SMALL ? 'small' : 'large';
  const restore = size === 'small' ? await stopTierUp() : () => undefined;
  try {
    const jq = await (loaded[size] ??= loadJq());
    // After `--`, an expression that begins with a dash is not parsed as an option.
    return blocking(() => jq.raw(json, expression, [...flags, '--']));
  } catch (error) {
    if (!(error instanceof Error && /Aborted\(|memory access|unreachable/.test(error.message))) throw error;
    // This instance cannot be used again.
    loaded[size] = undefined;
    return undefined;
  } finally {
    restore();
  }
}

/**
 * Compiled once for all runs; the package's own cache serves only calls that no signal can interrupt. What is compiled
 * while V8 does not recompile must also run so.
 */
const loaded: { small?: Promise<Jq> | undefined; large?: Promise<Jq> | undefined } = {};

/** Stops V8 from recompiling WebAssembly. Returns a function that undoes this. */
async function stopTierUp(): Promise<() => void> {
  const { setFlagsFromString } = await import('node:v8');
  for (const name of TIER_UP) setFlagsFromString(`--no-${name}`);
  return () => {
    for (const name of TIER_UP) setFlagsFromString(`--${name}`);
  };
}
