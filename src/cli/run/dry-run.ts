import type { RequestPreview } from '../../core/api.ts';
import type { Terminal } from '../../core/context.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { type Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import { arrayOf, encodeJson, isObject, type Json, memberAt, stringAt, stringOf } from '../../core/json.ts';
import { asksForData, type OutputOptions, type Result, type RowsResult, type View } from '../../output/view.ts';

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

  /** For a person without secrets and with a note; elsewhere as complete JSON. */
  result({ terminal }: { readonly terminal: Terminal }, options: OutputOptions): Result {
    const result = requestsResult(this.previews.map(previewRow), this.failure);
    return isShown(terminal, options) ? { ...result, notes: [DRY_RUN_NOTE] } : result;
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
    { header: 'METHOD', show: (row) => stringAt(row, 'method'), cutLast: true },
    { header: 'ADDRESS', show: (row) => stringAt(row, 'url') },
    { header: 'BODY', show: (row) => bodyLines(row).map(({ label, value }) => `${label}: ${value}`) },
  ],
  detail: (row) => [
    { lines: [{ label: 'request', value: `${stringAt(row, 'method') ?? ''} ${stringAt(row, 'url') ?? ''}` }] },
    { title: 'body', lines: bodyLines(row) },
  ],
};

/** One request is an object; several, and one of several, are an array. */
function requestsResult(rows: readonly Json[], failure: Failure | undefined): RowsResult {
  const [only] = rows;
  return rows.length === 1 && only !== undefined && failure === undefined
    ? { kind: 'one', view, value: only }
    : { kind: 'many', view, values: rows, failure };
}

interface Line {
  readonly label: string;
  readonly value: string;
}

/** A line a member, the name first. */
function bodyLines(row: Json): readonly Line[] {
  const body = memberAt(row, 'body');
  if (body === undefined) return [];
  return linesOf(body, []).toSorted((one, other) => Number(other.label === 'name') - Number(one.label === 'name'));
}

const linesOf = (value: Json, path: readonly string[]): readonly Line[] =>
  isObject(value) && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, member = null]) => linesOf(member, [...path, name]))
    : [{ label: path.length === 0 ? 'body' : path.join('.'), value: textOf(value) }];

function textOf(value: Json): string {
  const items = arrayOf(value);
  if (items !== undefined && items.length > 0 && !items.some(isObject)) return items.map(textOf).join(', ');
  return value === null ? 'none' : (stringOf(value) ?? encodeJson(value));
}
