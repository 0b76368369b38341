import { EXIT } from '../../core/exit-codes.ts';
import { type Failure, rethrowUnlessFailure, usage } from '../../core/failure.ts';
import { formatBytes } from '../../core/units.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { arg, option } from '../../cli/model/params.ts';
import { combinedFailure } from '../../cli/resource/several.ts';
import { countOf } from '../../cli/words.ts';
import { splitPlace } from '../files/address.ts';
import { endsWithSlash } from '../files/names.ts';
import { FILE_OUTCOMES, type FileOutcome, rowOf, viewOf } from '../files/outcomes.ts';
import { copyOne, type CopyEnd } from './cp-over-ssh.ts';
import { reachPod } from './reach-pod.ts';
import type { ReachablePod } from './ssh-command.ts';
import { START } from './start-first.ts';

export const cp = defineCommand({
  summary: 'copy files to and from pods',
  details:
    'A place is POD:PATH or a local path (./a:b for a local name with a colon). A folder becomes the target; several sources go into it. Files go as a tar archive over your ssh and are renamed when all have arrived.',
  args: {
    place: arg.many('what to copy, and where to, the last one', { metavar: 'PLACE', complete: 'file' }),
  },
  options: {
    recursive: option.on('also folders, with all that is in them', { short: '-r' }),
    start: START,
  },
  changesMachine: true,
  exits: [EXIT.unknown],
  output: FILE_OUTCOMES,
  examples: [
    ['berth pods cp train.py train-llm:', 'a file to the home folder of a pod'],
    ['berth pods cp -r train-llm:/workspace/out ./out', 'a folder of a pod to this machine'],
  ],
  run: async (ctx, { place, recursive, start }) => {
    const places = place.map(parsePlace);
    const target = places.at(-1);
    if (target === undefined || places.length < 2)
      throw usage('a copy needs a source and a target', 'The last place is the target.');
    const sourcesInPod = places.slice(0, -1).filter(({ pod }) => pod !== undefined).length;
    if (sourcesInPod !== (target.pod === undefined ? places.length - 1 : 0))
      throw usage('a copy goes from this machine to a pod, or from a pod to this machine', FORMS);
    const pods = new Map<string, Promise<ReachablePod>>();
    const endOf = async ({ pod: word, path }: Place): Promise<CopyEnd> => {
      if (word === undefined) return { pod: undefined, path, shown: path };
      const pod = pods.get(word) ?? reachPod(ctx, word, start);
      pods.set(word, pod);
      return { pod: await pod, path, shown: `${word}:${path}` };
    };
    const to = await endOf(target);
    const sources = await Promise.all(places.slice(0, -1).map(endOf));
    const into = sources.length > 1 ? 'always' : endsWithSlash(target.path) ? 'file' : '';
    const outcomes: FileOutcome[] = [];
    const sum = { files: 0, bytes: 0 };
    const progress = ctx.progress('the files');
    try {
      for (const from of sources) {
        const copied = { files: 0, bytes: 0 };
        const fails = (path: string, failure: Failure): void =>
          void outcomes.push({ from: path, to: undefined, bytes: 0, failure });
        const onBytes = (bytes: number): void => {
          progress.update(`${from.shown}: ${formatBytes(bytes)}`);
        };
        const failure = await copyOne(ctx, from, to, { recursive, into, copied, fails, onBytes }).then(
          () => undefined,
          (error: unknown) => {
            rethrowUnlessFailure(error, ctx);
            return error;
          },
        );
        const { files, bytes } = failure === undefined ? copied : { files: 0, bytes: 0 };
        sum.files += files;
        sum.bytes += bytes;
        outcomes.push({ from: from.shown, to: to.shown, bytes, failure });
      }
    } finally {
      await progress.stop();
    }
    return {
      kind: 'many',
      view: viewOf('copied'),
      values: outcomes.map((outcome) => rowOf(ctx, outcome)),
      notes: sum.files === 0 ? [] : [`copied ${countOf(sum.files, 'file')}, ${formatBytes(sum.bytes)}`],
      failure: combinedFailure(outcomes.map(({ from, failure }) => ({ id: from, failure }))),
    };
  },
});

/** In a pod, or on this machine. */
interface Place {
  readonly pod: string | undefined;
  readonly path: string;
}

const FORMS = 'Use POD:PATH for a file in a pod, ./NAME for a local name with a colon.';

/** Without a path, or with `~/`, it is the home folder of the pod. Fails with usage (2). */
function parsePlace(text: string): Place {
  if (text === '') throw usage('a place is empty', FORMS);
  if (text === '-') throw usage('cannot copy to or from "-"', 'Name a file.');
  const place = splitPlace(text);
  if (place === undefined) return { pod: undefined, path: text };
  if (place.name === '') throw usage(`${JSON.stringify(text)} names no pod`, FORMS);
  const path = place.path.replace(/^~(\/+|$)/, '');
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(path)) throw usage(`${JSON.stringify(text)} has control characters`, FORMS);
  return { pod: place.name, path: path === '' ? '.' : path };
}
