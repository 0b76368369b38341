import type { Context } from '../../core/context.ts';
import { drawPage } from '../../output/text/draw-help-page.ts';
import type { Page } from '../../output/help-page.ts';

/** Prints a page of help: on stdout where it was asked for, else on stderr. */
export async function printHelpPage(
  { terminal, stdout, stderr }: Pick<Context, 'terminal' | 'stdout' | 'stderr'>,
  page: Page,
  wasRequested: boolean,
): Promise<void> {
  if (wasRequested)
    await stdout.write(await drawPage(page, { columns: terminal.columns, colour: terminal.colour.output }));
  else await stderr.write(await drawPage(page, { columns: terminal.errorColumns, colour: terminal.colour.errors }));
}
