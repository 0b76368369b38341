import { usage } from '../../core/failure.ts';
import { fingerprintChunks, type Fingerprint } from '../read/fingerprint.ts';
import { describeInvalid, inputName, type InputFormat, type InvalidItem, type Item } from '../read/item.ts';
import { readItems } from '../read/read-items.ts';

/** What an input contains. Sizes are bytes. */
export interface InputSummary {
  /** Number of items that can be sent. */
  readonly planned: number;
  /** Number of items that cannot be sent. */
  readonly invalid: number;
  /** The first of the invalid items. */
  readonly invalidItems: readonly InvalidItem[];
  readonly fingerprint: Fingerprint;
  /** Size of all bodies together, and of the largest. */
  readonly bodyBytes: number;
  readonly largestBody: number;
  readonly first: Item | undefined;
}

/** Number of invalid items that are described one by one. */
const MAX_DESCRIBED = 20;

/** Reads an input once and counts its items. Memory does not grow with the input. Fails as `readItems` does. */
export async function summarizeInput(chunks: AsyncIterable<Uint8Array>, format: InputFormat): Promise<InputSummary> {
  const hashed = fingerprintChunks(chunks);
  return await summarizeItems(readItems(hashed.chunks, format), hashed.result);
}

/** Counts items. `fingerprint` is called after the last one. Fails as reading the items does. */
export async function summarizeItems(
  groups: AsyncIterable<Iterable<Item | InvalidItem>>,
  fingerprint: () => Fingerprint,
): Promise<InputSummary> {
  const tally = createInputTally();
  for await (const items of groups) for (const item of items) tally.add(item);
  return tally.summary(fingerprint());
}

/** Counts the items of any number of inputs. */
export interface InputTally {
  /** `input` is the name of the input that has the item, when there are several. */
  add(item: Item | InvalidItem, input?: string): void;
  summary(fingerprint: Fingerprint): InputSummary;
}

export function createInputTally(): InputTally {
  const invalidItems: InvalidItem[] = [];
  let [planned, invalid, bodyBytes, largestBody] = [0, 0, 0, 0];
  let first: Item | undefined;
  return {
    add: (item, input) => {
      if (item.kind === 'invalid') {
        invalid += 1;
        if (invalidItems.length < MAX_DESCRIBED) invalidItems.push(input === undefined ? item : { ...item, input });
        return;
      }
      planned += 1;
      bodyBytes += item.body.byteLength;
      largestBody = Math.max(largestBody, item.body.byteLength);
      first ??= item;
    },
    summary: (fingerprint) => ({ planned, invalid, invalidItems, fingerprint, bodyBytes, largestBody, first }),
  };
}

/**
 * Reads an input once and checks that all of it can be sent, or with `skipInvalid` at least one item. Fails with usage
 * (2), with the line and column of invalid items, and as `readItems` does.
 */
export async function checkInput(
  chunks: AsyncIterable<Uint8Array>,
  format: InputFormat,
  skipInvalid: boolean,
): Promise<InputSummary> {
  return requireItems(await summarizeInput(chunks, format), format, skipInvalid);
}

/** Returns a summary of an input that can be sent. Fails with usage (2), with the places of invalid items. */
export function requireItems(
  summary: InputSummary,
  format: Pick<InputFormat, 'path' | 'format'>,
  skipInvalid: boolean,
): InputSummary {
  const { planned, invalid, invalidItems } = summary;
  if (invalid > 0 && (planned === 0 || !skipInvalid)) {
    const [first = '', ...others] = invalidItems.map((item) => describeInvalid(format.path, item));
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
  if (planned === 0) throw usage(`${inputName(format.path)} contains no items to send`, NO_ITEMS[format.format]);
  return summary;
}

const NO_ITEMS: Readonly<Record<InputFormat['format'], string>> = {
  csv: 'Below the header, each row is a job.',
  jsonl: 'Each line of the input is one job.',
  parquet: 'Each row of the input is one job.',
};
