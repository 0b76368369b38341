import type { Api, ApiRequest, RequestPreview } from '../../../core/api.ts';
import { EXIT, type ExitCode } from '../../../core/exit-codes.ts';
import { type Failure, rethrowUnlessFailure } from '../../../core/failure.ts';
import { type Json, objectOf } from '../../../core/json.ts';
import type { Terminal } from '../../../core/context.ts';
import { asksForData, type OutputOptions, type Result, type RowsResult } from '../../../output/view.ts';

/** A request of a dry run, and the row that it changes as that is now, where it was read. */
export type DryRunPreview = RequestPreview & { readonly before?: Json };

/** Told below what a dry run shows to a person. */
export const DRY_RUN_NOTE = 'A dry run: nothing was sent or changed. As JSON: --json.';

/** Whether a dry run is shown to a person, as tables: on a terminal, where no data is asked for. Elsewhere it is JSON. */
export const isShown = ({ output }: Pick<Terminal, 'output'>, options: OutputOptions): boolean =>
  output && !asksForData(options);

/** How a dry run prints what has no format. */
export const dryRunOutput = (terminal: Terminal, options: OutputOptions): OutputOptions =>
  options.format !== undefined || isShown(terminal, options) ? options : { ...options, format: 'json' };

/** Thrown to end a dry run with the requests that would be sent. Not a failure: exit 0, or as `failure` where it has one. */
export class DryRun extends Error {
  override readonly name = 'DryRun';
  readonly previews: readonly DryRunPreview[];
  /** Why others of several would be refused: the dry run ends with it. */
  readonly failure: Failure | undefined;
  constructor(previews: readonly DryRunPreview[], failure?: Failure) {
    super('dry run');
    this.previews = previews;
    this.failure = failure;
  }

  /** The requests: for a person member by member, without secrets and with a note; elsewhere as JSON, whole. */
  async result({ terminal }: { readonly terminal: Terminal }, options: OutputOptions): Promise<Result> {
    if (!isShown(terminal, options)) return this.requests();
    const { shownRequests } = await import('./dry-run-view.ts');
    const rows = this.previews.map((preview): Json => ({ ...objectOf(previewRow(preview)), ...beforeOf(preview) }));
    return { ...shownRequests(rows), failure: this.failure, notes: [DRY_RUN_NOTE] };
  }

  /** One request as an object; several, and one of several, as an array. */
  private requests(): RowsResult {
    const rows = this.previews.map(previewRow);
    const [only] = rows;
    const view = { noun: ['request', 'requests'], id: () => '', columns: [] } as const;
    const { failure } = this;
    return rows.length === 1 && only !== undefined && failure === undefined
      ? { kind: 'one', view, value: only }
      : { kind: 'many', view, values: rows, failure };
  }
}

/** The row that a request changes, for its preview. */
const beforeOf = ({ before }: { readonly before?: Json }): { before?: Json } =>
  before === undefined ? {} : { before };

/** A request as a dry run prints it. */
export const previewRow = ({ method, url, headers, body }: RequestPreview): Json => ({
  method,
  url,
  headers: { ...headers },
  ...(body === undefined ? {} : { body }),
});

/** An Api that reads, and ends the command with its preview in place of the first write, which is given to `note` before. */
export function dryRunApi(api: Api, note: (requests: readonly ApiRequest[]) => Promise<void>): Api {
  return {
    ...api,
    send: async (request) => {
      if (request.method === 'GET') return await api.send(request);
      await note([request]);
      throw new DryRun([{ ...(await api.preview(request)), ...beforeOf(request) }]);
    },
  };
}

/** Failures with which a dry run ends as the command would: what is not there, a name that several have, a limit of the user. */
const REFUSALS: readonly ExitCode[] = [EXIT.notFound, EXIT.usage, EXIT.limitExceeded];

/**
 * What is read about a command before its request. In a dry run it is undefined where the service cannot be read, because
 * the request is then printed all the same; what would be refused fails as the command would.
 */
export async function unlessUnread<T>(
  ctx: { readonly dryRun: boolean; readonly signal: AbortSignal },
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    if (!ctx.dryRun || REFUSALS.includes(error.exit)) throw error;
    return undefined;
  }
}
