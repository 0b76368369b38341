import { usage } from '../../../core/failure.ts';
import { berth, flags, sentence, type Message } from '../../../core/message.ts';
import { formatBytes } from '../../../core/units.ts';
import { defineCommand } from '../../../cli/model/command.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { arg, option } from '../../../cli/model/params.ts';
import { countOf } from '../../../cli/words/words.ts';
import { FILE_OUTCOMES, fileOutcomes, type FileOutcome } from '../../shared/paths/file-outcomes.ts';
import { openPodFiles, type PodFiles } from '../reach/files/pod-files.ts';
import { reachPod } from '../reach/reach-pod.ts';
import { START } from '../reach/start-first.ts';
import { stateNow } from '../reach/state-now.ts';
import { shown, type End } from './end.ts';
import { sourcesAndTarget, type Place } from './place.ts';
import { planCopies, type At, type Copy } from './plan.ts';
import { transferFiles } from './transfer.ts';

/** `berth pods cp`: copies files to and from pods. */
export const cp = defineCommand({
  summary: 'copy files to and from pods',
  details:
    'A place is POD:PATH, or a local path; a local name with a colon is written ./a:b. A path in a pod is absolute, or relative to the home folder. A file is copied into the target where that is a folder or ends with a slash, and else under the name of the target. A folder is copied into the target: a slash at its end means what is in it, without it the folder itself, as with rsync.\nFiles go by SFTP over your ssh. Each has a temporary name until it was seen there with its size and, where the pod has sha256sum, its SHA-256; until then the file before it stays. An interrupted copy goes on with the same command: files that are the same are not sent again, and a large one goes on where it stopped. Between two pods the data goes through this machine. Links are left out. A copy has the time and the permissions of its source.',
  args: {
    place: arg.many('what to copy, and where to, the last one', { metavar: 'PLACE', complete: 'file' }),
  },
  options: {
    recursive: option.on('also folders, with all that is in them', { short: '-R' }),
    start: START,
  },
  changesMachine: true,
  output: FILE_OUTCOMES,
  examples: [
    ['berth pods cp train.py train-llm:', 'a file to the home folder of a pod'],
    ['berth pods cp -R train-llm:/workspace/out ./', 'a folder of a pod to this machine'],
  ],
  run: async (ctx, { place, recursive, start }) => {
    const [sources, target] = sourcesAndTarget(place);
    // What is there is not sent again.
    ctx.setResumeCommand(
      berth`pods cp ${flags([...(recursive ? ['--recursive'] : []), ...(start ? ['--start'] : [])])} ${place}`,
    );
    const pods = new Map<string, Promise<PodFiles>>();
    const open = async (each: Place): Promise<At> => ({ end: await endOf(ctx, each, pods, start), path: each.path });
    try {
      const to = await open(target);
      const from = await Promise.all(sources.map(open));
      checkNotWithinOne(from, to);
      return await copyAll(ctx, from, to, recursive);
    } finally {
      await Promise.allSettled([...pods.values()].map(async (each) => (await each).close()));
    }
  },
});

async function endOf(
  ctx: CommandContext,
  place: Place,
  pods: Map<string, Promise<PodFiles>>,
  start: boolean,
): Promise<End> {
  if (place.kind === 'local') return { kind: 'local', files: await ctx.durable() };
  const files = pods.get(place.pod) ?? reachPod(ctx, place.pod, start).then((pod) => openPodFiles(ctx, pod));
  pods.set(place.pod, files);
  return { kind: 'pod', word: place.pod, files: await files };
}

/** Within one pod, its own program copies without sending anything. Fails with usage (2). */
function checkNotWithinOne(sources: readonly At[], { end }: At): void {
  for (const source of sources)
    if (source.end.kind === 'pod' && end.kind === 'pod' && source.end.files.pod.id === end.files.pod.id)
      throw usage(
        `both places are in pod ${end.files.pod.name}`,
        sentence`Copy within it: ${berth`pods exec ${end.files.pod.id} -- cp -a FROM TO`}`,
      );
}

async function copyAll(ctx: CommandContext, sources: readonly At[], target: At, recursive: boolean) {
  const onLeftOut = (path: string): Promise<void> => ctx.tell(`${path} is left out: it is a link, or no regular file.`);
  const copies = planCopies(sources, target, { recursive, platform: ctx.platform, onLeftOut });
  const progress = ctx.progress('the files');
  const outcomes: FileOutcome[] = [];
  let bytes = 0;
  let unverified = 0;
  const onBytes = ({ from }: Copy, count: number): void => {
    bytes += count;
    progress.update(`${shown(from.end, from.path)}: ${formatBytes(bytes)} in ${countOf(outcomes.length + 1, 'file')}`);
  };
  try {
    for await (const { copy, isSame, isReplaced = false, isVerified, failure } of transferFiles(ctx, copies, onBytes)) {
      if (!isVerified) unverified += 1;
      const { from, to } = copy;
      outcomes.push({
        from: shown(from.end, from.path),
        to: shown(to.end, to.path),
        bytes: from.entry.bytes,
        isSame,
        isReplaced,
        failure,
      });
    }
  } finally {
    await progress.stop();
  }
  const result = fileOutcomes(ctx, outcomes, 'copied');
  const ends = [...sources, target].map(({ end }) => end);
  const notes: Message[] = [];
  if (ends.every(({ kind }) => kind === 'pod')) notes.push('The data went through this machine.');
  if (unverified > 0)
    notes.push(
      `${countOf(unverified, 'file')} of them ${unverified === 1 ? 'was' : 'were'} compared by size only: a pod has no sha256sum.`,
    );
  if (outcomes.some(({ failure }) => failure?.code === 'connection-lost')) {
    for (const end of new Set(ends)) if (end.kind === 'pod') notes.push(...(await stateNow(ctx, end.files.pod)));
    notes.push('The same command goes on: what arrived and is still there is not sent again.');
  }
  return 'notes' in result ? { ...result, notes: [...(result.notes ?? []), ...notes] } : result;
}
