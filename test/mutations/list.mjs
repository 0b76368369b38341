/**
 * Plausible bugs of src, each a small replacement of source text. `npm run mutation-trials` switches them on one at a
 * time and runs the tests that should fail. A unit test checks that each of them still applies.
 */
import { BATCH_RUN } from './batch-run.mjs';
import { BATCH_STORE } from './batch-store.mjs';
import { HTTP_ANSWERS } from './http-answers.mjs';
import { HTTP } from './http.mjs';
import { WORKERS_OF_QUEUE } from './queue-workers.mjs';
import { QUEUE } from './queue.mjs';
import { SETTINGS_BUGS } from './settings.mjs';

/**
 * @typedef {object} Replacement
 * @property {string} [file] by default that of the mutation
 * @property {string} from occurs in the file exactly once
 * @property {string} to
 *
 * @typedef {object} Mutation
 * @property {string} name
 * @property {string} about what a user or the service would see
 * @property {string} file
 * @property {string} from occurs in the file exactly once
 * @property {string} to
 * @property {Replacement} [and] a second replacement that belongs to the same bug
 * @property {readonly string[]} tests the test files that should fail, below `test` and without `.test.ts`
 * @property {boolean} [hangs] true when the bug makes a test wait for ever: its timeout counts as a failure
 * @property {string} [explained] why no test can fail, for a mutation that is known to survive
 */

/** @type {readonly { readonly area: string, readonly mutations: readonly Mutation[] }[]} */
export const AREAS = [
  { area: 'src/http', mutations: [...HTTP, ...HTTP_ANSWERS] },
  { area: 'src/settings', mutations: SETTINGS_BUGS },
  { area: 'src/batch', mutations: [...BATCH_RUN, ...BATCH_STORE] },
  { area: 'src/local/queue', mutations: [...QUEUE, ...WORKERS_OF_QUEUE] },
];

export const MUTATIONS = AREAS.flatMap(({ mutations }) => mutations);

/** The path of a test file of a mutation, from the root of the project. */
export const testPath = (name) => `test/${name}.test.ts`;

/**
 * Returns the mutated texts of the files that a mutation changes. `read` returns the text of a file. Throws an Error when
 * a text to be replaced does not occur exactly once.
 */
export function mutate({ name, file, from, to, and }, read) {
  const texts = new Map();
  for (const step of [{ from, to }, ...(and === undefined ? [] : [and])]) {
    const path = step.file ?? file;
    const parts = (texts.get(path) ?? read(path)).split(step.from);
    if (parts.length !== 2)
      throw new Error(`mutation ${name}: its text occurs ${parts.length - 1} times in ${path}: ${step.from}`);
    texts.set(path, parts.join(step.to));
  }
  return texts;
}
