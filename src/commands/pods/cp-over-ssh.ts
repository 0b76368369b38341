import type { ArchiveInput, EntryChecks } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { asError, Failure, localFile, unknownOutcome, usage } from '../../core/failure.ts';
import { berth, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { untilAborted } from '../../cli/run/until-aborted.ts';
import { baseName, foldedName, MAX_DEPTH, refusedName } from '../files/names.ts';
import { type ReachablePod, sshArguments, sshRefusal } from './reach-pod.ts';
import { remoteCommand, runSshBeside, SSH_FAILED } from './ssh-command.ts';

/** A path in a pod, or on this machine. */
export interface CopyEnd {
  readonly pod: ReachablePod | undefined;
  readonly path: string;
  readonly shown: string;
}

interface PodEnd extends CopyEnd {
  readonly pod: ReachablePod;
}

export interface CopyOptions {
  readonly recursive: boolean;
  /** The target is a folder: for a file, or always; it is made. Else it is where it is one. */
  readonly into: 'file' | 'always' | '';
  /** What was taken, counted here. */
  readonly copied: { files: number; bytes: number };
  /** One of the files cannot be copied; the others are. */
  readonly fails: (path: string, failure: Failure) => void;
  /** How much of the archive went through. */
  readonly onBytes: (bytes: number) => void;
}

/** The exit codes of the scripts. */
const [NOT_THERE, IS_FOLDER, NO_TAR] = [44, 45, 47];

/** Packs $1, a folder only where $2 is not empty. Only what was named is followed where it is a link. */
const SEND = `
export LC_ALL=C; p=$1
command -v tar >/dev/null || exit ${String(NO_TAR)}
[ -e "$p" ] || exit ${String(NOT_THERE)}
if [ -d "$p" ]; then
  [ -n "$2" ] || exit ${String(IS_FOLDER)}
  cd "$p" && p=$(pwd -P) && cd -P .. || exit
  [ -n "\${p##*/}" ] || { echo 'the root folder cannot be copied' >&2; exit 1; }
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
command -v tar >/dev/null || exit ${String(NO_TAR)}
case $t in */*) at=\${t%/*}/;; *) at=./;; esac
[ -d "$t" ] && at=$t/
mkdir -p "$at" && tmp=$at$2 && mkdir -m 700 "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
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

/** Copies a file or a folder: its target has all of it, or stays as it was. */
export async function copyOne(ctx: CommandContext, from: CopyEnd, to: CopyEnd, options: CopyOptions): Promise<void> {
  const { recursive, into } = options;
  const archives = await ctx.archives();
  const mark = `.berth-${Math.floor(ctx.random() * 16 ** 12)
    .toString(16)
    .padStart(12, '0')}.partial`;
  const name = baseName(from.path).replace(/^\.{1,2}$/, '');
  const checks = checksOf(ctx, from, to, options);
  const target = to.path.replace(/(?<=.)\/+$/, '');
  const receive = [target.startsWith('-') ? `./${target}` : target, mark, into, name];
  if (isInPod(from) && isInPod(to)) {
    await archives.withFolder(async (folder) => {
      const path = `${folder}/${name || 'copy'}`;
      await copyOne(ctx, from, { pod: undefined, path, shown: path }, { ...options, into: '' });
      await copyOne(ctx, { pod: undefined, path, shown: from.shown }, to, {
        ...options,
        copied: { files: 0, bytes: 0 },
      });
    });
  } else if (isInPod(from)) {
    const input = archives.unpack(to.path, { mark, name, into, ...checks });
    await fetchFrom(ctx, from, recursive, input, options.onBytes);
  } else if (isInPod(to)) {
    const source = await (await ctx.durable()).lookAt(from.path, true);
    if (source === undefined) throw notThere(from);
    if (source.kind === 'folder' && !recursive) throw isFolder(from);
    if (source.kind === 'other') throw localFile(`${from.shown} is not a regular file`);
    await sendTo(ctx, to, receive, archives.pack(from.path, mark, checks), options.onBytes);
  }
}

const isInPod = (end: CopyEnd): end is PodEnd => end.pod !== undefined;

function checksOf(
  ctx: CommandContext,
  from: CopyEnd,
  to: CopyEnd,
  { copied, fails }: Pick<CopyOptions, 'copied' | 'fails'>,
): EntryChecks {
  const platform = to.pod === undefined ? ctx.platform : 'linux';
  const taken = new Set<string>();
  const shown = (path: string): string => from.shown.replace(/\/+$/, '') + path.replace(/^[^/]*/, '');
  const refuse = (path: string, why: string): void => {
    const message = `${shown(path)} was not copied: ${why}`;
    fails(shown(path), new Failure({ code: 'bad-name', exit: EXIT.localFile, message }));
  };
  return {
    fails: refuse,
    grew: (path) => void ctx.tell(`${shown(path)} grew while it was copied: it has its size at the start.`),
    takes: ({ path, kind, bytes }) => {
      const isTaken = platform !== 'linux' && taken.has(foldedName(path));
      taken.add(foldedName(path));
      const isDeep = path.split('/').length > MAX_DEPTH + 1;
      const why =
        (isDeep ? `more than ${String(MAX_DEPTH)} folders in each other` : undefined) ??
        refusedName(path, platform) ??
        (isTaken ? 'another file has the same name here' : undefined);
      if (why !== undefined) refuse(path, why);
      else if (kind === 'other') void ctx.tell(`Skipped ${shown(path)}: not a regular file.`);
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
  recursive: boolean,
  input: ArchiveInput,
  onBytes: CopyOptions['onBytes'],
): Promise<void> {
  const own = new AbortController();
  const stop = AbortSignal.any([ctx.signal, own.signal]);
  let bytes = 0;
  try {
    const path = from.path.replace(/(?<=.)\/+$/, '');
    const { code, said } = await runScript(ctx, from.pod, [SEND, path, recursive ? 'r' : ''], stop, {
      onOutput: async (chunk) => {
        if (stop.aborted) return;
        try {
          await untilAborted(stop, input.write(chunk));
          onBytes((bytes += chunk.byteLength));
        } catch (error) {
          own.abort(error);
        }
      },
    });
    stop.throwIfAborted();
    // tar of GNU ends with 1 for a file that grew meanwhile.
    const isOnlyChanged =
      code === 1 && said.length > 0 && said.every((line) => line.endsWith('file changed as we read it'));
    if (code !== 0 && !isOnlyChanged) throw failureOf(from, code, said);
    await input.finish();
    for (const line of isOnlyChanged ? said : []) await ctx.tell(line);
  } catch (error) {
    await input.discard();
    if (!(error instanceof Failure) || error.code !== 'not-an-archive') throw error;
    throw error.with({
      hint: sentence`A shell that prints text when it starts is one cause: ${berth`pods exec ${from.pod.id} -- true`} should print nothing.`,
    });
  }
}

async function sendTo(
  ctx: CommandContext,
  to: PodEnd,
  words: readonly string[],
  archive: AsyncIterable<Uint8Array>,
  onBytes: CopyOptions['onBytes'],
): Promise<void> {
  let [bytes, isSent, isReady, failed] = [0, false, false, undefined as unknown];
  // The pod puts nothing in place of an archive that ends before its time.
  async function* input(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of archive) {
        onBytes((bytes += chunk.byteLength));
        yield chunk;
      }
      isSent = true;
    } catch (error) {
      failed = error;
    }
  }
  const { code, said } = await runScript(ctx, to.pod, [RECEIVE, ...words], ctx.signal, {
    input: input(),
    onOutput: () => {
      isReady = true;
    },
  });
  ctx.signal.throwIfAborted();
  if (failed !== undefined) throw asError(failed);
  if (code === SSH_FAILED && isSent && isReady)
    throw unknownOutcome(
      `the connection to pod ${to.pod.name} ended before it said whether ${to.shown} is in place`,
      berth`pods exec ${to.pod.id} -- ls -la ${to.path}`,
      to.pod.id,
    );
  if (code !== 0) throw failureOf(to, code, said);
}

/** What a pod says is kept to its first characters. */
const MAX_SAID = 8000;

async function runScript(
  ctx: CommandContext,
  pod: ReachablePod,
  [script = '', ...args]: readonly string[],
  signal: AbortSignal,
  streams: Omit<Parameters<typeof runSshBeside>[2], 'onError'>,
) {
  const line = remoteCommand(['sh', '-c', script, 'sh', ...args], { cwd: undefined, env: [] });
  const decoder = new TextDecoder();
  let said = '';
  const onError = (bytes: Uint8Array): void => {
    said = (said + decoder.decode(bytes, { stream: true })).slice(0, MAX_SAID);
  };
  const code = await runSshBeside(ctx, await sshArguments(ctx, pod, { line }), { ...streams, onError }, signal);
  return { code, said: said.split(/\r?\n/).filter((each) => each.trim() !== '') };
}

function failureOf({ pod, shown }: PodEnd, code: number, said: readonly string[]): Failure {
  const { id, name } = pod;
  if (code === NOT_THERE) return notThere({ shown });
  if (code === IS_FOLDER) return isFolder({ shown });
  const why = (line: string | undefined): string => safeText(line ?? `it ended with ${String(code)}`);
  if (code === SSH_FAILED)
    return (
      sshRefusal(pod, said) ??
      new Failure({
        code: 'connection-lost',
        exit: EXIT.unavailable,
        message: `the connection to pod ${name} has ended: ${why(said.at(-1))}`,
        hint: sentence`Nothing was changed. See what the pod does: ${berth`pods get ${id}`}`,
        id,
      })
    );
  return new Failure({
    code: 'pod-file',
    exit: EXIT.refused,
    message: code === NO_TAR ? `pod ${name} has no tar: install it there` : `${shown}: ${why(said[0])}`,
    id,
  });
}

const notThere = ({ shown }: Pick<CopyEnd, 'shown'>): Failure =>
  new Failure({ code: 'not-found', exit: EXIT.notFound, message: `${shown}: there is no such file or folder` });

const isFolder = ({ shown }: Pick<CopyEnd, 'shown'>): Failure =>
  usage(`${shown} is a folder`, 'To take all that is in it, add --recursive.');
