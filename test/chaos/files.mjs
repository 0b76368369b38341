/** The files of a batch: generates the input, and edits the input, the journal and the results. */
import { open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { createRandom } from './random.mjs';

/** Prefix of the marks in edited lines, which the service must never receive. */
export const FOREIGN = 'X';

/** Returns the items of a round and the text of the input file. */
export function createInput(plan) {
  const random = createRandom(plan.seed ^ 0x5bd1e995);
  const failing = new Set(Array.from({ length: plan.failing }, () => random.int(1, plan.items)));
  const items = Array.from({ length: plan.items }, (_, at) => {
    const n = at + 1;
    return {
      n,
      mark: `m${n}-${random.hex(6)}`,
      ms: plan.workMs,
      ...(failing.has(n) ? { fail: true } : {}),
    };
  });
  return { items, text: items.map((item) => lineOf(item, plan.padBytes)).join('') };
}

const lineOf = (item, padBytes) =>
  `${JSON.stringify({ input: item, label: item.mark, ...(padBytes === 0 ? {} : { pad: 'p'.repeat(padBytes) }) })}\n`;

/** Edits the input file in place, from the fraction `at` (0 to 1) of its length on. Returns a description of the edit. */
export async function editInput(file, edit, at, plan) {
  const text = await readFile(file, 'utf8');
  const from = Math.floor(text.length * at);
  if (edit === 'cut') {
    await truncate(file, from);
    return `cut to ${from} of ${text.length} bytes`;
  }
  const handle = await open(file, 'r+');
  try {
    if (edit === 'append') {
      const item = { n: plan.items + 1, mark: `${FOREIGN}appended`, ms: 0 };
      await handle.write(lineOf(item, 0).repeat(3), text.length);
      return 'three lines appended';
    }
    // The same length, so that line offsets stay the same.
    const changed = text.slice(0, from) + text.slice(from).replaceAll('"mark":"m', `"mark":"${FOREIGN}`);
    await handle.write(changed, 0);
    return `lines after byte ${from} changed`;
  } finally {
    await handle.close();
  }
}

/** Restores the content of a file in place, so that processes that have it open see it too. */
export async function restoreInPlace(file, content) {
  const handle = await open(file, 'r+').catch(() => undefined);
  if (handle === undefined) {
    await writeFile(file, content);
    return;
  }
  try {
    await handle.write(content, 0, content.length, 0);
    await handle.truncate(content.length);
  } finally {
    await handle.close();
  }
}

export const sizeOf = (file) =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

const readOrEmpty = (file) => readFile(file).catch(() => Buffer.alloc(0));

/** Parses the complete lines of a results file; a line that is not JSON becomes `{ broken }`. */
export async function readResults(file) {
  const lines = (await readOrEmpty(file)).toString('utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    try {
      return JSON.parse(line);
    } catch {
      return { broken: line };
    }
  });
}
