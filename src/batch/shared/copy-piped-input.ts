import type { InputFormat } from '../read/item.ts';
import { readUntilAborted } from '../read/read-until-aborted.ts';
import { addressIn } from '../stores/postgres/driver/part-files.ts';
import type { SharedPorts } from './ports.ts';

interface PipedInput {
  readonly input: string;
  /** The folder of the results. */
  readonly out: string;
  /** The name of the batch. */
  readonly name: string;
  readonly format: InputFormat['format'];
}

/**
 * Copies an input that can be read only once to the folder of the results, where all drivers can read it. Returns the
 * address of the copy, which no other batch uses. Fails as reading and writing do.
 */
export async function copyPipedInput(
  { durable, storage, random, signal }: SharedPorts,
  { input, out, name, format }: PipedInput,
): Promise<string> {
  const suffix = Math.floor(random() * 36 ** 6)
    .toString(36)
    .padStart(6, '0');
  const address = addressIn(out, `input-${name}-${suffix}.${format}`);
  await storage.write(address, readUntilAborted(durable, input, signal), signal);
  return address;
}
