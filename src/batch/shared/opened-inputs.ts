import type { InputSource, SourcePorts } from '../read/sources/input-source.ts';
import type { Manifest } from '../stores/postgres/rows/batch-rows.ts';
import { openStoredInput } from './open-stored-input.ts';

/** The inputs of a batch, which are opened when they are used. */
export interface OpenedInputs {
  /** Returns the input at a position in the manifest. Closes what the one that was used before keeps open. */
  at(position: number): Promise<InputSource>;
  close(): Promise<void>;
}

/** `extras` is as for `openStoredInput`. A batch may have more inputs than files that can be open. */
export function createOpenedInputs(
  ports: SourcePorts,
  manifest: Pick<Manifest, 'sources' | 'format'>,
  extras: string,
): OpenedInputs {
  const inputs = new Map<number, InputSource>();
  let last: InputSource | undefined;
  return {
    at: async (position) => {
      const input = inputs.get(position) ?? (await openStoredInput(ports, manifest, position, extras));
      inputs.set(position, input);
      if (last !== input) await last?.close();
      return (last = input);
    },
    close: async () => {
      await last?.close();
    },
  };
}
