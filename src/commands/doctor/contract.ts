/** `berth doctor --contract`: the document that the service publishes, beside the one that berth was built from. */
import { readRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import { isObject, memberOf, type Json } from '../../core/json.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { failedRow, ok, type Check } from './check.ts';
import { compareDocuments, type Comparison, type Difference } from './contract/compare.ts';

const CHECK = 'contract';

/** More rows than these say nothing that the first ones do not. */
const MAX_ROWS = 500;

/** A document may put any text in place of a name. */
const MAX_TEXT = 300;

/** One row for each difference, those that can make berth wrong first; one row where there is none, or no document. */
export async function contractChecks(ctx: CommandContext): Promise<readonly Check[]> {
  try {
    const published = await readPublished(ctx);
    return rowsOf(compareDocuments(await ctx.contractDocument(), published));
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    if (error.status === 404)
      return [unusable('the service publishes no document (404 for /v2/openapi.json): nothing was compared')];
    return [failedRow(CHECK, error)];
  }
}

async function readPublished(ctx: CommandContext): Promise<Json> {
  const { value } = await ctx.api.send(readRequest(['v2', 'openapi.json'], { expects: 'anything', once: true }));
  if (value !== undefined && isObject(memberOf(value, 'paths'))) return value;
  throw unreadable('what /v2/openapi.json answers is not an OpenAPI document: nothing was compared');
}

const unreadable = (message: string): Failure => new Failure({ code: 'unreadable', exit: EXIT.unavailable, message });

const unusable = (message: string): Check => failedRow(CHECK, unreadable(message).with({ exit: EXIT.notFound }));

function rowsOf({ known, found, differences }: Comparison): readonly Check[] {
  if (found === 0) return [unusable('the published document has none of the operations that berth knows')];
  const sorted = differences.toSorted((one, other) => Number(other.canBeWrong) - Number(one.canBeWrong));
  const wrong = differences.filter(({ canBeWrong }) => canBeWrong).length;
  const summary = `${String(found)} of ${String(known)} operations are published; ${String(differences.length)} differences, of which ${String(wrong)} can make berth wrong`;
  const total: Check =
    wrong === 0
      ? ok(CHECK, differences.length === 0 ? `${String(found)} of ${String(known)} operations, no difference` : summary)
      : {
          check: CHECK,
          result: 'ERROR',
          finding: summary,
          hint: 'Look for a newer version of berth: the service has moved on.',
          exit: EXIT.unavailable,
        };
  const rows = sorted.slice(0, MAX_ROWS).map(rowOf);
  const left = sorted.length - rows.length;
  return [total, ...rows, ...(left > 0 ? [ok(CHECK, `${String(left)} more differences are not listed`)] : [])];
}

function rowOf({ operation, what, canBeWrong, alsoIn }: Difference): Check {
  const more = alsoIn > 0 ? ` (and in ${String(alsoIn)} more)` : '';
  return {
    check: short(operation),
    result: canBeWrong ? 'WARNING' : 'OK',
    finding: `${short(what)}${more}`,
  };
}

const short = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text);
