/** Copies a file or a folder, to a pod or from one, as a tar archive over ssh: its target has all of it, or stays as it was. */
import type { ArchiveInput, EntryChecks, ProgramStreams } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { asError, Failure, localFile, unknownOutcome, usage } from '../../core/failure.ts';
import { berth } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { run as runLine } from '../../cli/hint.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { baseName, foldedName, refusedName } from '../files/names.ts';
import {
  type ReachablePod,
  remoteCommand,
  runSshBeside,
  Said,
  SSH_FAILED,
  sshArguments,
  sshRefusal,
} from './ssh-command.ts';

/** A path in a pod, or on this machine. */
export interface CopyEnd {
  readonly pod: ReachablePod | undefined;
  readonly path: string;
  readonly shown: string;
}

type PodEnd = CopyEnd & { readonly pod: ReachablePod };

export interface CopyOptions {
  readonly recursive: boolean;
  /** The target is a folder: for a file, or always; it is made. Else it is where it is one. */
  readonly into: 'file' | 'always' | '';
  /** What was taken, counted here. */
  readonly copied: { files: number; bytes: number };
  /** One of the files cannot be copied; the others are. */
  readonly fails: (path: string, failure: Failure) => void;
  /** What is left out, by its path in the folder that is copied. */
  readonly ignores?: (path: string, isFolder: boolean) => boolean;
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

export async function copyOne(ctx: CommandContext, from: CopyEnd, to: CopyEnd, options: CopyOptions): Promise<void> {
  const { recursive, into, onBytes } = options;
  const archives = await ctx.archives();
  const mark = `.berth-${Math.floor(ctx.random() * 16 ** 12).toString(16)}.partial`;
  const name = baseName(from.path).replace(/^\.{1,2}$/, '');
  const checks = checksOf(ctx, from, to, options);
  if (isInPod(from)) {
    await fetchFrom(ctx, from, recursive, archives.unpack(to.path, { mark, name, into, ...checks }), onBytes);
  } else if (isInPod(to)) {
    const source = await (await ctx.durable()).lookAt(from.path, true);
    if (source === undefined) throw notThere(from);
    if (source.kind === 'folder' && !recursive) throw isFolder(from);
    if (source.kind === 'other') throw localFile(`${from.shown} is not a regular file`);
    await sendTo(ctx, to, [withoutSlash(to.path), mark, into, name], archives.pack(from.path, mark, checks), onBytes);
  }
}

const isInPod = (end: CopyEnd): end is PodEnd => end.pod !== undefined;

const withoutSlash = (path: string): string => path.replace(/(?<=.)\/+$/, '').replace(/^-/, './-');

function checksOf(ctx: CommandContext, from: CopyEnd, to: CopyEnd, options: CopyOptions): EntryChecks {
  const { copied, fails, ignores } = options;
  const platform = to.pod === undefined ? ctx.platform : 'linux';
  const taken = new Set<string>();
  const shown = (path: string): string => from.shown.replace(/\/+$/, '') + path.replace(/^[^/]*/, '');
  const refuse = (path: string, why: string): void => {
    const message = `${shown(path)} was not copied: ${why}`;
    fails(shown(path), new Failure({ code: 'bad-name', exit: EXIT.localFile, message }));
  };
  const refusalOf = (path: string): string | undefined => {
    if (platform !== 'linux' && taken.has(foldedName(path))) return 'another file has the same name here';
    return refusedName(path, platform);
  };
  return {
    fails: refuse,
    grew: (path) => void ctx.tell(`${shown(path)} grew while it was copied: copied up to its size at the start`),
    takes: ({ path, kind, bytes }) => {
      if (ignores?.(path.replace(/^[^/]*\/?/, ''), kind === 'folder') === true) return false;
      const why = refusalOf(path);
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
  recursive: boolean,
  input: ArchiveInput,
  onBytes: CopyOptions['onBytes'],
): Promise<void> {
  const own = new AbortController();
  const stop = AbortSignal.any([ctx.signal, own.signal]);
  let bytes = 0;
  const onOutput = async (chunk: Uint8Array): Promise<void> => {
    if (stop.aborted) return;
    try {
      await untilAborted(stop, input.write(chunk));
      onBytes((bytes += chunk.byteLength));
    } catch (error) {
      own.abort(error);
    }
  };
  try {
    const script = [SEND, withoutSlash(from.path), recursive ? 'r' : ''];
    const { code, lines } = await runScript(ctx, from.pod, script, { onOutput }, stop);
    stop.throwIfAborted();
    // tar of GNU ends with 1 for a file that grew meanwhile.
    const isOnlyChanged = code === 1 && lines.every((line) => line.endsWith('file changed as we read it'));
    if (code !== 0 && !(isOnlyChanged && lines.length > 0)) throw failureOf(from, code, lines);
    await input.finish();
    if (isOnlyChanged) for (const line of lines) await ctx.tell(line);
  } catch (error) {
    await input.discard();
    throw error;
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
  const onOutput = (): void => {
    isReady = true;
  };
  const { code, lines } = await runScript(ctx, to.pod, [RECEIVE, ...words], { input: input(), onOutput });
  ctx.signal.throwIfAborted();
  if (failed !== undefined) throw asError(failed);
  if (code === SSH_FAILED && isSent && isReady)
    throw unknownOutcome(
      `connection to pod ${to.pod.name} lost: ${to.shown} may be in place`,
      berth`pods exec ${to.pod.id} -- ls -la ${to.path}`,
      to.pod.id,
    );
  if (code !== 0) throw failureOf(to, code, lines);
}

async function runScript(
  ctx: CommandContext,
  pod: ReachablePod,
  [script = '', ...args]: readonly string[],
  streams: Omit<ProgramStreams, 'onError'>,
  signal?: AbortSignal,
) {
  const line = remoteCommand(['sh', '-c', script, 'sh', ...args]);
  const said = new Said();
  const ssh = await sshArguments(ctx, pod, { line });
  const code = await runSshBeside(ctx, ssh, { ...streams, onError: said.take }, signal);
  return { code, lines: said.lines };
}

function failureOf({ pod, shown }: PodEnd, code: number, lines: readonly string[]): Failure {
  const { id, name } = pod;
  if (code === NOT_THERE) return notThere({ shown });
  if (code === IS_FOLDER) return isFolder({ shown });
  const refusal = code === SSH_FAILED ? sshRefusal(pod, lines) : undefined;
  if (refusal !== undefined) return refusal;
  const last = safeText((code === SSH_FAILED ? lines.at(-1) : lines[0]) ?? `exit code ${String(code)}`);
  if (code !== SSH_FAILED)
    return new Failure({
      code: 'pod-file',
      exit: EXIT.refused,
      message: code === NO_TAR ? `pod ${name} has no tar: install it there` : `${shown}: ${last}`,
      id,
    });
  return new Failure({
    code: 'connection-lost',
    exit: EXIT.unavailable,
    message: `connection to pod ${name} lost: ${last}`,
    hint: runLine(berth`pods get ${id}`),
    id,
  });
}

const notThere = ({ shown }: Pick<CopyEnd, 'shown'>): Failure =>
  new Failure({ code: 'not-found', exit: EXIT.notFound, message: `no such file or folder: ${shown}` });

const isFolder = ({ shown }: Pick<CopyEnd, 'shown'>): Failure => usage(`${shown} is a folder`, 'Pass --recursive.');
