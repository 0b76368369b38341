import type { Collection } from './collection.ts';
import type { Api, ApiAnswer } from '../../core/api.ts';
import type { Context } from '../../core/context.ts';
import { unlessFailed } from '../../core/failure.ts';
import type { Id } from '../../core/ids.ts';
import type { Json } from '../../core/json.ts';
import type { CommandLine, Message } from '../../core/message.ts';
import type { RememberedJob, RememberedJobs, RememberedLists } from '../../core/remembered.ts';
import { safeText } from '../../core/safe-text.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { RowWriter } from '../../output/render.ts';
import type { OutputOptions, View } from '../../output/view.ts';

/** Shown on a terminal only. */
export interface Progress {
  update(text: string): void;
  stop(): Promise<void>;
}

export interface CommandContext extends Context {
  readonly output: OutputOptions;
  /** Commands send with this alone. In a dry run, the first write is printed and ends the command. */
  readonly api: Api;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly ids: IdCache;
  /** From the `Date` of its answers. */
  readonly serviceNow: () => EpochMs;
  /** Asks only the local service (with `overHttp` also at a local address); else this machine's time. */
  readonly fetchServiceNow: (options?: { readonly overHttp?: boolean }) => Promise<number>;
  /** One line on stderr. Control characters are escaped, line feeds included. */
  tell(line: Message): Promise<void>;
  tellRows(view: View, rows: readonly Json[]): Promise<void>;
  progress(text: string): Progress;
  rows(view: View): RowWriter;
  /** Printed if the command is interrupted. */
  setResumeCommand(commandLine: CommandLine | undefined): void;
}

/** Kept for one run. */
export class IdCache {
  readonly #ids = new Map<string, string>();
  readonly #lists = new Map<string, Promise<readonly Json[]>>();

  get<N extends string>(collection: Collection<N>, word: string): Id<N> | undefined {
    return this.#ids.get(keyOf(collection, word)) as Id<N> | undefined;
  }

  /** The id itself counts as an id from then on. */
  set<N extends string>(collection: Collection<N>, word: string, id: Id<N>): void {
    this.#ids.set(keyOf(collection, word), id);
    this.#ids.set(keyOf(collection, id), id);
  }

  /** `load` runs at most once per collection, also if it fails. */
  rows(collection: Collection, load: () => Promise<readonly Json[]>): Promise<readonly Json[]> {
    const key = keyOf(collection);
    const rows = this.#lists.get(key) ?? load();
    this.#lists.set(key, rows);
    return rows;
  }
}

const keyOf = ({ path }: Collection, word = ''): string => [...path, word].join('\n');

export async function rememberedJobs(
  { jobs, lists }: { readonly jobs: RememberedJobs; readonly lists: RememberedLists },
  endpoint: string,
): Promise<readonly RememberedJob[]> {
  const rows = (await lists.read('endpoint'))?.rows ?? [];
  const words = [endpoint, ...rows.flatMap(({ value, name }) => (name === endpoint ? [value] : []))];
  return (await jobs.read()).filter((job) => words.some((word) => word === job.endpoint || word === job.named));
}

/** Only then is a total printed, so that pipes and logs have rows alone. */
export const isForPerson = ({ terminal, output }: CommandContext): boolean =>
  terminal.output && terminal.errors && isTableOutput(output);

/** ` on the profile work`, if there are several profiles; empty if the account is not a profile's. */
export async function onProfile(ctx: CommandContext): Promise<string> {
  const { settings, profiles } = ctx;
  if (settings.local || !['profile', 'default'].includes(settings.source('base-url') ?? 'default')) return '';
  const known = (await unlessFailed(ctx, () => profiles.list())) ?? [];
  return known.length < 2 ? '' : ` on the profile ${safeText(settings.profile)}`;
}

/** By the `server` header, also over HTTP. */
export const isLocalService = ({ headers }: Pick<ApiAnswer, 'headers'>): boolean => headers['server'] === 'berth-local';
