/** Copies files to and from pods, as a tar archive over ssh: a target has all of it, or stays as it was. */
import type { ArchiveInput, EntryChecks } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { asError, Failure, localFile, rethrowUnlessFailure, unknownOutcome, usage } from '../../core/failure.ts';
import { berth } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { formatBytes } from '../../core/units.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg, option } from '../../cli/model/params.ts';
import { combinedFailure } from '../../cli/resource/several.ts';
import { countOf } from '../../cli/words.ts';
import { splitPlace } from '../files/address.ts';
import { endsWithSlash, foldedName, refusedName } from '../files/names.ts';
import { FILE_OUTCOMES, type FileOutcome, rowOf, viewOf } from '../files/outcomes.ts';
import { type ReachablePod, reachPod, remoteCommand, runInPod, SSH_FAILED, sshFailure } from './reach-pod.ts';

export const cp = defineCommand({
  summary: 'copy files to and from pods',
  details:
    'A place is POD:PATH or a local path (./a:b for a local name with a colon). A folder becomes the target; several sources go into it. Files go as a tar archive over your ssh and are renamed when all have arrived.',
  args: {
    place: arg.many('what to copy, and where to, the last one', { metavar: 'PLACE', complete: 'file' }),
  },
  options: {
    recursive: option.on('also folders, with all that is in them', { short: '-r' }),
  },
  changesMachine: true,
  exits: [EXIT.unknown],
  output: () => FILE_OUTCOMES,
  examples: [
    ['berth pods cp train.py train-llm:', 'a file to the home folder of a pod'],
    ['berth pods cp -r train-llm:/workspace/out ./out', 'a folder of a pod to this machine'],
  ],
  run: async (ctx, { place, recursive }) => {
    const places = place.map(parsePlace);
    const [target, ...sources] = places.toReversed();
    if (target === undefined || sources.length === 0)
      throw usage('a copy needs a source and a target', 'The last place is the target.');
    if (sources.some(({ pod }) => (pod === undefined) === (target.pod === undefined)))
      throw usage('a copy goes from this machine to a pod, or from a pod to this machine', FORMS);
    const pods = new Map<string, ReachablePod>();
    for (const { pod } of places) if (pod !== undefined && !pods.has(pod)) pods.set(pod, await reachPod(ctx, pod));
    const endOf = ({ pod = '', ...where }: Place): CopyEnd => ({ ...where, pod: pods.get(pod) });
    const into = sources.length > 1 ? 'always' : endsWithSlash(target.path) ? 'file' : '';
    const outcomes: FileOutcome[] = [];
    const sum = { files: 0, bytes: 0 };
    const progress = ctx.progress('the files');
    try {
      for (const source of sources.toReversed()) {
        const fails = (from: string, failure: Failure): void => void outcomes.push({ from, bytes: 0, failure });
        const onBytes = (bytes: number): void => {
          progress.update(`${source.shown}: ${formatBytes(bytes)}`);
        };
        const about = { from: source.shown, to: target.shown };
        try {
          const options = { recursive, into, fails, onBytes } as const;
          const { files, bytes } = await copyOne(ctx, endOf(source), endOf(target), options);
          sum.files += files;
          sum.bytes += bytes;
          outcomes.push({ ...about, bytes });
        } catch (error) {
          rethrowUnlessFailure(error, ctx);
          outcomes.push({ ...about, bytes: 0, failure: error });
        }
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

interface Place {
  /** Undefined on this machine. */
  readonly pod?: string;
  readonly path: string;
  readonly shown: string;
}

const FORMS = 'Use POD:PATH for a file in a pod, ./NAME for a local name with a colon.';

/** Without a path, or with `~/`, it is the home folder of the pod. Fails with usage (2). */
function parsePlace(shown: string): Place {
  if (shown === '-' || shown === '') throw usage(`cannot copy to or from ${JSON.stringify(shown)}`, FORMS);
  const place = splitPlace(shown);
  if (place === undefined) return { path: shown, shown };
  if (place.name === '') throw usage(`${JSON.stringify(shown)} names no pod`, FORMS);
  return { pod: place.name, path: place.path.replace(/^~(\/+|$)/, '') || '.', shown };
}

/** A path in a pod, or on this machine. */
export interface CopyEnd {
  readonly pod?: ReachablePod | undefined;
  readonly path: string;
  readonly shown: string;
}

type PodEnd = CopyEnd & { readonly pod: ReachablePod };

export interface CopyOptions {
  readonly recursive: boolean;
  /** The target is a folder: for a file, or always; it is made. Else it is where it is one. */
  readonly into?: 'file' | 'always' | '';
  /** One of the files cannot be copied; the others are. Without it the copy fails. */
  readonly fails?: (path: string, failure: Failure) => void;
  /** Leaves out .git, and what .gitignore files of this machine name. */
  readonly gitignore?: boolean;
  /** How much of the archive went through. */
  readonly onBytes?: (bytes: number) => void;
}

/** The exit codes of the scripts. */
const [NOT_THERE, IS_FOLDER] = [44, 45];

/** Packs $1, a folder only where $2 is not empty. Only what was named is followed where it is a link. */
const SEND = `
export LC_ALL=C; p=$1
[ -e "$p" ] || exit ${String(NOT_THERE)}
if [ -d "$p" ]; then
  [ -n "$2" ] || exit ${String(IS_FOLDER)}
  cd "$p" && p=$(pwd -P) && cd -P .. || exit
  exec tar cf - "./\${p##*/}"
fi
case $p in */*) cd "\${p%/*}/" || exit;; esac
exec tar chf - "./\${p##*/}"`;

/**
 * Unpacks into a folder $2 beside $1, and renames where the archive ended with the file $2: tar takes one that was cut between two
 * entries for complete. $3 is \`into\`, $4 the name of what arrives. A folder joins one that is there; links there are not followed.
 */
const RECEIVE = `
export LC_ALL=C; t=$1
case $t in */*) at=\${t%/*}/;; *) at=./;; esac
[ -d "$t" ] && at=$t/
tmp=$at$2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM PIPE
mkdir -p "$at" && mkdir -m 700 "$tmp" || exit 1
echo ready
tar xpof - -C "$tmp" && [ -e "$tmp/$2" ] && rm -f "$tmp/$2" || exit 1
no() { echo "$1" >&2; return 1; }
put() {
  if [ -d "$1" ] && [ ! -L "$1" ]; then
    if [ -d "$2" ] && [ ! -L "$2" ]; then
      for e in "$1"/* "$1"/.[!.]* "$1"/..?*; do
        [ -e "$e" ] || [ -L "$e" ] || continue
        put "$e" "$2/\${e##*/}" || return
      done
      return 0
    fi
    [ ! -e "$2" ] && [ ! -L "$2" ] || no "$2 is not a folder" || return
  elif [ -L "$2" ]; then rm -f "$2"
  elif [ -d "$2" ]; then no "$2 is a folder"; return
  elif [ -e "$2" ] && [ ! -f "$2" ]; then no "$2 is not a regular file"; return
  fi
  mv -f "$1" "$2"
}
for d in "$tmp"/* "$tmp"/.[!.]* "$tmp"/..?*; do
  [ -e "$d" ] || [ -L "$d" ] || continue
  k=file; [ -d "$d" ] && [ ! -L "$d" ] && k=folder
  case $3-$k in always-* | file-file) mkdir -p "$t" || exit 1;; esac
  to=$t
  if [ -d "$t" ]; then case $3-$k in always-* | *-file) to=$t/$4;; *) to=$t/.;; esac; fi
  put "$d" "$to" || exit 1
done`;

/** Returns what was taken. */
export async function copyOne(ctx: CommandContext, from: CopyEnd, to: CopyEnd, options: CopyOptions) {
  const { recursive, into = '' } = options;
  const archives = await ctx.archives();
  const mark = `.berth-${Math.floor(ctx.random() * 16 ** 12).toString(16)}.partial`;
  const name = (from.path.split(/[/\\]/).findLast(Boolean) ?? '').replace(/^\.{1,2}$/, '');
  const copied = { files: 0, bytes: 0 };
  const checks = checksOf(ctx, from, to, options, copied);
  if (isInPod(from)) {
    const input = archives.unpack(to.path, { mark, name, into, ...checks });
    await fetchFrom(ctx, from, input, options);
  } else if (isInPod(to)) {
    await sourceHere(ctx, from, recursive);
    const script = [RECEIVE, withoutSlash(to.path), mark, into, name];
    await sendTo(ctx, to, script, archives.pack(from.path, mark, checks, options.gitignore), options);
  }
  return copied;
}

/** Fails with not found (4), or with local-file (14) for what cannot be copied. */
export async function sourceHere(ctx: CommandContext, from: CopyEnd, recursive: boolean): Promise<void> {
  const source = await (await ctx.durable()).lookAt(from.path, true);
  if (source === undefined) throw notThere(from);
  if (source.kind === 'folder' && !recursive) throw isFolder(from);
  if (source.kind === 'other') throw localFile(`${from.shown} is not a regular file`);
}

const isInPod = (end: CopyEnd): end is PodEnd => end.pod !== undefined;

const withoutSlash = (path: string): string => path.replace(/(?<=.)\/+$/, '').replace(/^-/, './-');

function checksOf(
  ctx: CommandContext,
  from: CopyEnd,
  to: CopyEnd,
  { fails }: CopyOptions,
  copied: { files: number; bytes: number },
): EntryChecks {
  const platform = to.pod === undefined ? ctx.platform : 'linux';
  const taken = new Set<string>();
  const shown = (path: string): string => from.shown.replace(/\/+$/, '') + path.replace(/^[^/]*/, '');
  const refuse = (path: string, why: string): void => {
    const message = `${shown(path)} was not copied: ${why}`;
    const failure = new Failure({ code: 'bad-name', exit: EXIT.localFile, message });
    if (fails === undefined) throw failure;
    fails(shown(path), failure);
  };
  return {
    fails: refuse,
    grew: (path) => void ctx.tell(`${shown(path)} grew while it was copied: copied up to its size at the start`),
    takes: ({ path, kind, bytes }) => {
      const isTwice = platform !== 'linux' && taken.has(foldedName(path));
      const why = isTwice ? 'another file has the same name here' : refusedName(path, platform);
      taken.add(foldedName(path));
      if (why !== undefined) refuse(path, why);
      else if (kind === 'other') void ctx.tell(`skipped ${shown(path)}: not a regular file`);
      else if (kind === 'file') {
        copied.files += 1;
        copied.bytes += bytes;
      }
      return why === undefined && kind !== 'other';
    },
  };
}

async function fetchFrom(
  ctx: CommandContext,
  from: PodEnd,
  input: ArchiveInput,
  { recursive, onBytes }: CopyOptions,
): Promise<void> {
  let bytes = 0;
  const onOutput = async (chunk: Uint8Array): Promise<void> => {
    await input.write(chunk);
    onBytes?.((bytes += chunk.byteLength));
  };
  try {
    const script = [SEND, withoutSlash(from.path), recursive ? 'r' : ''];
    const { code, said } = await runInPod(ctx, from.pod, lineOf(script), { onOutput });
    // tar of GNU ends with 1 for a file that grew meanwhile.
    const isChanged =
      code === 1 && said.length > 0 && said.every((line) => line.endsWith('file changed as we read it'));
    if (code !== 0 && !isChanged) throw failureOf(from, code, said);
    await input.finish();
    if (isChanged) for (const line of said) await ctx.tell(line);
  } catch (error) {
    await input.discard();
    throw error;
  }
}

async function sendTo(
  ctx: CommandContext,
  to: PodEnd,
  script: readonly string[],
  archive: AsyncIterable<Uint8Array>,
  { onBytes }: CopyOptions,
): Promise<void> {
  let [bytes, isSent, isReady, failed] = [0, false, false, undefined as unknown];
  // The pod puts nothing in place of an archive that ends before its time.
  async function* input(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of archive) {
        onBytes?.((bytes += chunk.byteLength));
        yield chunk;
      }
      isSent = true;
    } catch (error) {
      failed = error;
    }
  }
  const onOutput = (): void => {
    isReady = true;
  };
  const { code, said } = await runInPod(ctx, to.pod, lineOf(script), { input: input(), onOutput });
  if (failed !== undefined) throw asError(failed);
  if (code === SSH_FAILED && isSent && isReady)
    throw unknownOutcome(
      `connection to pod ${to.pod.name} lost: ${to.shown} may be in place`,
      berth`pods exec ${to.pod.id} -- ls -la ${to.path}`,
      to.pod.id,
    );
  if (code !== 0) throw failureOf(to, code, said);
}

const lineOf = ([script = '', ...args]: readonly string[]): string =>
  remoteCommand(['sh', '-c', script, 'sh', ...args]);

function failureOf({ pod, shown }: PodEnd, code: number, said: readonly string[]): Failure {
  if (code === NOT_THERE) return notThere({ shown });
  if (code === IS_FOLDER) return isFolder({ shown });
  if (code === SSH_FAILED) return sshFailure(pod, said);
  const message = `${shown}: ${safeText(said[0] ?? `exit code ${String(code)}`)}`;
  return new Failure({ code: 'pod-file', exit: EXIT.refused, message, id: pod.id });
}

const notThere = ({ shown }: Pick<CopyEnd, 'shown'>): Failure =>
  new Failure({ code: 'not-found', exit: EXIT.notFound, message: `no such file or folder: ${shown}` });

const isFolder = ({ shown }: Pick<CopyEnd, 'shown'>): Failure => usage(`${shown} is a folder`, 'Pass --recursive.');
