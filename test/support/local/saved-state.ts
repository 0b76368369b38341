import { readFileSync } from 'node:fs';
import { documentOf, parseState } from '../../../src/local/state/store.ts';
import type { State } from '../../../src/local/state/state.ts';

/** What a fresh process reads from a state file. */
export const savedState = (path: string): State => parseState(path, readFileSync(path, 'utf8'));

/** A state as another process has it after it was written and read. */
export const copyOf = (state: State): State => parseState('', documentOf(state));
