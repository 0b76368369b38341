import { type Json, objectOf } from '../../core/json.ts';
import { hideSecrets, HIDDEN } from '../../core/secret-names.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { DryRun } from '../../cli/run/dry-run.ts';
import { withoutVariables } from '../../fleet/variables.ts';

/** Hides values of --env-from, secret variables and passwords in the requests of a dry run: CI keeps them in its logs. */
export async function withoutSecrets<T>(
  { output }: CommandContext,
  hidden: ReadonlySet<string>,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof DryRun)) throw error;
    const shown = (body: Json): Json => {
      const plain = withoutVariables(body, hidden);
      const masked = output.isSecret === undefined ? plain : hideSecrets(plain, output.isSecret);
      return objectOf(masked)?.['password'] === undefined ? masked : { ...objectOf(masked), password: HIDDEN };
    };
    throw new DryRun(
      error.previews.map((preview) =>
        preview.body === undefined ? preview : { ...preview, body: shown(preview.body) },
      ),
      error.failure,
    );
  }
}
