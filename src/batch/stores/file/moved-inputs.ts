import { usage } from '../../../core/failure.ts';
import { findInputs } from '../../plan/find-inputs.ts';
import type { StorePorts } from '../../store.ts';

/** Returns the addresses of inputs that were moved. Fails with usage (2) when one is not there. */
export async function findMoved(ports: StorePorts, given: readonly string[]): Promise<readonly string[]> {
  const found = await findInputs(ports, given, (name) =>
    usage(`the input ${name} is not there`, 'Say where it is now: --input FILE'),
  );
  return found.map(({ name }) => name);
}
