import { usage } from '../../../core/failure.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { countOf } from '../../../cli/words/words.ts';
import { addressText, parseFileAddress, type FileAddress } from '../places/file-address.ts';
import { expandPlace } from '../places/globs.ts';
import { refuseWhatDoesNotFit, type Need } from '../places/space.ts';
import { volumeOpener } from '../places/open-volume.ts';
import type { FileOutcome } from '../../shared/paths/file-outcomes.ts';
import type { Tally } from './tally.ts';
import { createFilter, type FileChoice } from './filter.ts';
import type { Copy, End } from './copy.ts';
import { planCopies } from './plan.ts';
import { keepCopies, type PlannedCopies } from './planned-copies.ts';
import { wouldCopy } from './would-copy.ts';
import { transferFiles } from './transfer/transfer.ts';

export type Place = Exclude<FileAddress, { kind: 'stream' }>;

export interface CopyPlacesOptions {
  readonly recursive: boolean;
  readonly followLinks?: boolean;
  readonly choice?: FileChoice;
  readonly verify?: boolean;
  /** Is told what is copied. */
  readonly tally: Tally;
  /** What else is done with a file that was copied; returns why it failed. */
  readonly afterwards?: (copy: Copy) => Promise<FileOutcome['failure']>;
  /** Why a copy is not begun. */
  readonly refuse?: (copy: Copy) => FileOutcome['failure'];
}

/** Copies the sources into the target. Yields what became of each file; in a dry run, what would be copied. */
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
    // Before anything is written to a volume, it is known how much that is. A dry run ends as the copy would.
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

/** What copies to a volume need there. What is moved within it needs nothing more: each file leaves its place at once. */
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

/** The sources, and the target, the last word. Fails with usage (2) where none of them is on a volume. */
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

/** Up to so many files, a dry run asks a volume for each whether one is there already. */
const MAX_ASKED = 100;

export const shown = (end: End): string =>
  end.kind === 'local' ? end.path : addressText({ volume: end.name, path: end.key });
