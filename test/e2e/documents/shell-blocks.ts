import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import type { Block } from '../../support/documents/pages.ts';
import { LOCAL_KEY } from '../../../src/local/http/admission.ts';
import { runProgram, type Environment } from '../support.ts';

/** A block that was run, or was not reached because one before it failed. */
export interface RanBlock {
  readonly block: Block;
  readonly isDone: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

const MARK = '==== block ';

/**
 * A page says that `local serve` runs until Ctrl-C. Here it is ended as soon as it has printed its address, and has a free
 * port.
 */
const PRELUDE = `
berth() {
  if [ "$1 $2" != 'local serve' ]; then command berth "$@"; return; fi
  : > served.txt
  command berth "$@" --port 0 > served.txt &
  until [ -s served.txt ]; do kill -0 $!; sleep 0.05; done
  kill $!
  wait $! || [ $? = 143 ]
}
`;

/** Gives the pages a service: the addresses that they name lead to a local service, and key.txt holds its key. */
const WITH_SERVICE = `
export SERVICE="$BERTH_BASE_URL"
unset BERTH_BASE_URL BERTH_QUEUE_URL BERTH_REST_URL BERTH_API_KEY
. ./page.sh
`;

const SERVICE_ADDRESS = /https:\/\/(?:api|queue|staging)\.example\.com/g;

/** The steps of a pipeline as shell commands: each in a shell of its own, with the variables of its job. */
function stepsOf(text: string): string {
  const { env = {}, jobs } = parse(text) as Pipeline;
  return Object.values(jobs)
    .flatMap((job) => job.steps.map((step) => ({ ...step, env: { ...env, ...job.env, ...step.env } })))
    .filter((step) => step.run !== undefined)
    .map(({ run = '', env: variables }) => {
      const exports = Object.entries(variables).map(
        ([name, value]) => `export ${name}=${value.replace(SECRET, LOCAL_KEY)}`,
      );
      return `(\n${[...exports, run.trimEnd()].join('\n')}\n)\n`;
    })
    .join('');
}

interface Pipeline {
  readonly env?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Pick<Pipeline, 'env'> & { readonly steps: readonly Step[] }>>;
}
type Step = Pick<Pipeline, 'env'> & { readonly run?: string };
const SECRET = /\$\{\{ secrets\.\w+ \}\}/;

/** Runs blocks one after the other in one shell, which ends at the first command that fails. */
export async function runShellBlocks(
  blocks: readonly Block[],
  { env, cwd }: { readonly env: Environment; readonly cwd: string },
): Promise<readonly RanBlock[]> {
  const parts = blocks.map(({ language, text }) => (language === 'yaml' ? stepsOf(text) : text));
  const mark = (index: number): string => `echo '${MARK}${String(index)}'; echo '${MARK}${String(index)}' >&2\n`;
  const script = parts.map((part, index) => mark(index) + part).join('') + mark(parts.length);
  await writeFile(path.join(cwd, 'page.sh'), `set -e\n${PRELUDE}\n${script.replaceAll(SERVICE_ADDRESS, '$SERVICE')}`);
  await writeFile(path.join(cwd, 'key.txt'), `${LOCAL_KEY}\n`);
  const needsService = script.search(SERVICE_ADDRESS) !== -1;
  const { stdout, stderr } = needsService
    ? await runProgram('berth', ['local', 'exec', '--', 'sh', '-c', WITH_SERVICE], { env, cwd })
    : await runProgram('sh', ['page.sh'], { env, cwd });
  const [printed, said] = [outputsOf(stdout), outputsOf(stderr)];
  return blocks.map((block, index) => ({
    block,
    isDone: printed.has(index + 1),
    stdout: printed.get(index) ?? '',
    stderr: said.get(index) ?? '',
  }));
}

/** What was printed after each mark. */
function outputsOf(text: string): ReadonlyMap<number, string> {
  const [, ...parts] = text.split(MARK);
  return new Map(
    parts.map((part) => {
      const end = part.indexOf('\n');
      return [Number(part.slice(0, end)), part.slice(end + 1)];
    }),
  );
}
