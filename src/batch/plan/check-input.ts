import { usage } from '../../core/failure.ts';
import { PAYLOAD_LIMITS } from '../../queue/limits.ts';
import { maxInputBytes } from '../../queue/submission.ts';
import { nameOfInputs, type SharedFormat } from '../read/inputs.ts';
import { describeInvalid, inputName, type InputFormat, type InvalidItem, type Item } from '../read/items/item.ts';

/** What an input contains. Sizes are bytes. */
export interface InputSummary {
  /** Number of items that can be sent. */
  readonly planned: number;
  /** Number of items that cannot be sent. */
  readonly invalid: number;
  /** The first of the invalid items. */
  readonly invalidItems: readonly InvalidItem[];
  readonly bytes: number;
  /** Size of all bodies together, and of the largest. */
  readonly bodyBytes: number;
  readonly largestBody: number;
  readonly first: Item | undefined;
}

/** Number of invalid items that are described one by one. */
const MAX_DESCRIBED = 20;

/**
 * Counts the items of any number of inputs. `extras` is the text of the members that every submission has beside its
 * input.
 */
export function createInputTally(extras: string) {
  const maxBytes = maxInputBytes(extras);
  const beside = PAYLOAD_LIMITS.run - maxBytes;
  const invalidItems: InvalidItem[] = [];
  let [planned, invalid, bodyBytes, largestBody] = [0, 0, 0, 0];
  let first: Item | undefined;
  return {
    /** The bytes that an input may have. */
    maxBytes,
    /** `input` is the name of the input that has the item. */
    add: (item: Item | InvalidItem, input: string): void => {
      if (item.kind === 'invalid') {
        invalid += 1;
        if (invalidItems.length < MAX_DESCRIBED) invalidItems.push({ ...item, input });
        return;
      }
      planned += 1;
      const body = beside + item.input.byteLength;
      bodyBytes += body;
      largestBody = Math.max(largestBody, body);
      first ??= item;
    },
    /** `bytes` is the size of all inputs together. */
    summary: (bytes: number): InputSummary => ({
      planned,
      invalid,
      invalidItems,
      bytes,
      bodyBytes,
      largestBody,
      first,
    }),
  };
}

/** Returns a summary of an input that can be sent. Fails with usage (2), with the places of invalid items. */
export function requireItems(
  summary: InputSummary,
  names: readonly string[],
  { format }: SharedFormat,
  skipInvalid: boolean,
): InputSummary {
  const path = nameOfInputs(names);
  const { planned, invalid, invalidItems } = summary;
  if (invalid > 0 && (planned === 0 || !skipInvalid)) {
    const [first = '', ...others] = invalidItems.map((item) => describeInvalid(path, item));
    const more = invalid - invalidItems.length;
    throw usage(
      `${invalid === 1 ? '1 item' : `${String(invalid)} items`} cannot be sent${planned === 0 ? ', and there are no others' : ''}; nothing was sent. ${first}`,
      [
        ...others,
        ...(more > 0 ? [`and ${String(more)} more`] : []),
        planned === 0 ? 'Correct them.' : 'Correct them, or leave them out with --skip-invalid.',
      ].join('\n'),
    );
  }
  if (planned === 0) throw usage(`${inputName(path)} contains no items to send`, NO_ITEMS[format]);
  return summary;
}

const NO_ITEMS: Readonly<Record<InputFormat['format'], string>> = {
  csv: 'Below the header, each row is a job.',
  jsonl: 'Each line of the input is one job.',
  parquet: 'Each row of the input is one job.',
};
