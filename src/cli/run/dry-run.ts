import type { RequestPreview } from '../../core/api.ts';
import type { Terminal } from '../../core/context.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { type Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import { json, jsonBlock, text } from '../../output/cells.ts';
import { asksForData, type OutputOptions, type Result, type View } from '../../output/view.ts';

export const DRY_RUN_NOTE = 'A dry run: nothing was sent or changed. As JSON: --json.';

/** Tables on a terminal if no data is asked for; elsewhere JSON. */
export const isShown = ({ output }: Pick<Terminal, 'output'>, options: OutputOptions): boolean =>
  output && !asksForData(options);

export const dryRunOutput = (terminal: Terminal, options: OutputOptions): OutputOptions =>
  options.format !== undefined || isShown(terminal, options) ? options : { ...options, format: 'json' };

/** Thrown to end a dry run. Not a failure: exit 0, or as `failure` where it has one. */
export class DryRun extends Error {
  override readonly name = 'DryRun';
  readonly previews: readonly RequestPreview[];
  /** Why others of several would be refused: the dry run ends with it. */
  readonly failure: Failure | undefined;
  constructor(previews: readonly RequestPreview[], failure?: Failure) {
    super('dry run');
    this.previews = previews;
    this.failure = failure;
  }

  /** One request is an object; several, and one of several, are an array. */
  result(): Result {
    const [value, ...others] = this.previews.map(previewRow);
    return value !== undefined && others.length === 0 && this.failure === undefined
      ? { kind: 'one', view, value }
      : { kind: 'many', view, values: this.previews.map(previewRow), failure: this.failure };
  }
}

export const previewRow = ({ method, url, headers, body }: RequestPreview): Json => ({
  method,
  url,
  headers: { ...headers },
  ...(body === undefined ? {} : { body }),
});

/** A dry run ends with these as the command would: missing, ambiguous, or a limit of the user. */
const REFUSALS: readonly ExitCode[] = [EXIT.notFound, EXIT.usage, EXIT.limitExceeded];

/** In a dry run undefined if the service cannot be read: the request is printed all the same. */
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

const view: View = {
  noun: ['request', 'requests'],
  id: () => '',
  columns: [
    { header: 'METHOD', show: (row) => text(row, 'method'), cutLast: true },
    { header: 'ADDRESS', show: (row) => text(row, 'url') },
    { header: 'BODY', show: (row) => json(row, 'body') },
  ],
  detail: (row) => [
    {
      lines: [
        { label: 'request', value: `${text(row, 'method')} ${text(row, 'url')}` },
        { label: 'body', value: jsonBlock(row, 'body') },
      ],
    },
  ],
};
