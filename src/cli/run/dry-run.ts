import type { Api, ApiRequest, RequestPreview } from '../../core/api.ts';
import { Failure } from '../../core/failure.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Json } from '../../core/json.ts';
import type { Terminal } from '../../core/context.ts';
import { asksForData, type OutputOptions, type Result, type RowsResult } from '../../output/view.ts';
import { hiddenNotes, resultWithoutSecrets } from '../../output/without-secrets.ts';

/** Thrown to end a dry run with the requests that would be sent. Not a failure: exit 0. */
export class DryRun extends Error {
  override readonly name = 'DryRun';
  readonly previews: readonly RequestPreview[];
  constructor(previews: readonly RequestPreview[]) {
    super('dry run');
    this.previews = previews;
  }

  /** The requests as JSON: whole, except that a person on a terminal who asks for no format sees no secrets. */
  result({ terminal }: { readonly terminal: Terminal }, options: OutputOptions): Result {
    const result = this.requests();
    if (!terminal.output || asksForData(options)) return result;
    return { ...resultWithoutSecrets(result, options), notes: hiddenNotes(result, options, terminal) };
  }

  /** One request as an object, several as an array. */
  private requests(): RowsResult {
    const rows = this.previews.map(asJson);
    const [only] = rows;
    const view = { noun: ['request', 'requests'], id: () => '', columns: [] } as const;
    return rows.length === 1 && only !== undefined
      ? { kind: 'one', view, value: only }
      : { kind: 'many', view, values: rows };
  }
}

const asJson = ({ method, url, headers, body }: RequestPreview): Json => ({
  method,
  url,
  headers: { ...headers },
  ...(body === undefined ? {} : { body }),
});

/** An Api that sends nothing: the first write ends the command with its preview; a read fails with usage (2). */
export function dryRunApi(api: Api): Api {
  const refuse = (request: ApiRequest): Failure =>
    new Failure({
      code: 'dry-run',
      exit: EXIT.usage,
      message: `a dry run sends nothing, and this needs an answer to ${request.method} /${request.path.join('/')}`,
      hint: 'Give an id in place of a name, or leave --dry-run out.',
    });
  return {
    send: async (request) => {
      if (request.method === 'GET') throw refuse(request);
      throw new DryRun([await api.preview(request)]);
    },
    events: (request) => {
      throw refuse(request);
    },
    preview: (request) => api.preview(request),
  };
}
