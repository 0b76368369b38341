import type { CommandContext } from '../../cli/model/context.ts';
import { countOf } from '../../cli/words.ts';
import { keepCopies, planCopies, type PlannedCopies } from './copy-plan.ts';
import { contentOf, type Copy, type End, type WasThere } from './copy.ts';
import { addressText, expandPlace, type FileAddress, parseFileAddress, volumeOpener } from './file-address.ts';
import type { FileOutcome } from './file-outcomes.ts';
import { createFilter, type FileChoice } from './filter.ts';
import type { Tally } from './progress.ts';
import { type Need, refuseWhatDoesNotFit } from './space.ts';
import { transferFiles, type Transferred } from './transfer.ts';
import type { RangeFiles } from '../../core/context.ts';
import { rethrowUnlessFailure, usage } from '../../core/failure.ts';
import { severalAtOnce } from '../../core/several-at-once.ts';

const LIMITS = { atOnce: 16, ahead: 10_000 };

/** Sends nothing; compares targets as the copy would. `asks`: ask the volume about this target. */
export async function* wouldCopy(
  ctx: CommandContext,
  copies: AsyncIterable<Copy>,
  asks: (copy: Copy) => boolean,
): AsyncGenerator<Transferred> {
  const files = await ctx.durable();
  const look = async (copy: Copy): Promise<Transferred> => {
    const isKnown = copy.isNew === true || (copy.to.kind === 'volume' && !asks(copy));
    if (copy.refused !== undefined || isKnown) return { copy, failure: copy.refused };
    try {
      return { copy, wasThere: await atTarget(files, copy), failure: undefined };
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      return { copy, failure: error };
    }
  };
  yield* severalAtOnce(copies, look, LIMITS);
}

async function atTarget(files: RangeFiles, { from, to }: Copy): Promise<WasThere> {
  if (to.kind === 'local') {
    const bytes = await files.size(to.path);
    if (bytes === undefined) return 'nothing';
    const isSame = from.kind === 'volume' && (await isSameFile(files, from, to.path, bytes));
    return isSame ? 'same' : 'other';
  }
  const there = await to.volume.find(to.key);
  if (there === undefined) return 'nothing';
  if (from.kind === 'volume')
    return there.bytes === from.file.bytes && there.version === from.file.version ? 'same' : 'other';
  return (await isSameFile(files, { volume: to.volume, file: there }, from.path, from.file.bytes)) ? 'same' : 'other';
}

const isSameFile = (
  files: RangeFiles,
  { volume, file }: Pick<Copy['from'] & { readonly kind: 'volume' }, 'volume' | 'file'>,
  path: string,
  bytes: number,
): Promise<boolean> => volume.isSame(file, { bytes, ...contentOf(files, path) });

export type Place = Exclude<FileAddress, { kind: 'stream' }>;

interface CopyPlacesOptions {
  readonly recursive: boolean;
  readonly followLinks?: boolean;
  readonly choice?: FileChoice;
  readonly verify?: boolean;
  readonly tally: Tally;
  /** After a file was copied; returns why it failed. */
  readonly afterwards?: (copy: Copy) => Promise<FileOutcome['failure']>;
  /** Why a copy must not start. */
  readonly refuse?: (copy: Copy) => FileOutcome['failure'];
}

/** In a dry run yields what would be copied. */
export async function* copyPlaces(
  ctx: CommandContext,
  sources: readonly Place[],
  target: Place,
  {
    recursive,
    followLinks = false,
    choice = { exclude: [], include: [] },
    verify,
    afterwards,
    refuse,
    tally,
  }: CopyPlacesOptions,
): AsyncGenerator<FileOutcome> {
  const durable = await ctx.durable();
  const opener = volumeOpener(ctx);
  const open = async (word: string) => (await opener(word)).files;
  const onLeftOut = (path: string, why: string): Promise<void> => ctx.tell(`${path} is left out: ${why}.`);
  const expanded: Place[] = [];
  for (const source of sources)
    expanded.push(...(source.kind === 'volume' ? await expandPlace(await open(source.volume), source) : [source]));
  const filter = await createFilter(choice);
  const planned = planCopies({ durable, open, platform: ctx.platform }, expanded, target, {
    recursive,
    followLinks,
    filter,
    onLeftOut,
  });
  const progress = ctx.progress('the files');
  let kept: PlannedCopies | undefined;
  try {
    // The total size must be known before anything is written to a volume. A dry run ends as the copy would.
    if (target.kind === 'volume') kept = await keepCopies(durable, planned);
    if (kept !== undefined) {
      if (target.kind === 'volume')
        await refuseWhatDoesNotFit(await opener(target.volume), await needOf(kept, afterwards !== undefined));
      tally.expect(kept.files, kept.bytes);
    }
    const copies = refusing(kept?.copies() ?? planned, refuse);
    const onBytes = ({ from }: Copy, count: number): void => {
      tally.arrived(count, { from: shown(from), bytes: from.file.bytes });
      progress.update(tally.progress());
    };
    for await (const { copy, wasThere, failure } of ctx.dryRun
      ? wouldCopy(ctx, copies, () => (kept?.files ?? 0) <= MAX_ASKED)
      : transferFiles(ctx, copies, onBytes, verify))
      yield {
        from: shown(copy.from),
        to: shown(copy.to),
        ...(copy.path === undefined ? {} : { path: copy.path }),
        bytes: copy.from.file.bytes,
        isSame: wasThere === 'same' && afterwards === undefined,
        isReplaced: wasThere === 'other',
        failure: failure ?? (ctx.dryRun ? undefined : await afterwards?.(copy)),
      };
  } finally {
    await progress.stop();
    await kept?.close();
  }
}

/** A move within a volume needs nothing more: each file is removed at once. */
export async function needOf(kept: Pick<PlannedCopies, 'copies'>, isMove: boolean): Promise<Need> {
  const needed = async function* (): AsyncGenerator<Copy & { readonly to: { readonly kind: 'volume' } }> {
    for await (const copy of kept.copies()) {
      const { from, to, refused } = copy;
      if (refused !== undefined || to.kind !== 'volume') continue;
      if (isMove && from.kind === 'volume' && from.volume.id === to.volume.id) continue;
      yield { ...copy, to };
    }
  };
  let [bytes, files] = [0, 0];
  for await (const { from } of needed()) {
    bytes += from.file.bytes;
    files += 1;
  }
  const replaced = async (): ReturnType<Need['replaced']> => {
    const keys = new Set<string>();
    for await (const { to } of needed()) keys.add(to.key);
    return (key) => keys.has(key);
  };
  return { bytes, what: countOf(files, 'file'), replaced };
}

/** The target is the last word. Usage (2) if none of them is on a volume. */
export function sourcesAndTarget(words: readonly string[], what: string): readonly [readonly Place[], Place] {
  const all = words.map(parseFileAddress);
  const target = all.at(-1);
  if (target === undefined || all.length < 2)
    throw usage(`${what} needs a source and a target`, 'The last place is the target.');
  const named = all.filter((each): each is Place => each.kind !== 'stream');
  if (named.length < all.length)
    throw usage(
      '- is no place to copy from or to',
      'Name a file; what a file on a volume has is printed by files cat.',
    );
  if (!named.some(({ kind }) => kind === 'volume'))
    throw usage('none of the places is on a volume', 'Write VOLUME:PATH for a file on a volume.');
  return [named.slice(0, -1), target as Place];
}

async function* refusing(copies: AsyncIterable<Copy>, refuse: CopyPlacesOptions['refuse']): AsyncGenerator<Copy> {
  for await (const copy of copies) yield { ...copy, refused: copy.refused ?? refuse?.(copy) };
}

/** Up to this many files, a dry run asks the volume which ones exist. */
const MAX_ASKED = 100;

export const shown = (end: End): string =>
  end.kind === 'local' ? end.path : addressText({ volume: end.name, path: end.key });
