import { readRequest } from '../../../core/api.ts';
import { noKey } from '../../../core/no-key.ts';
import type { Prompts } from '../../../core/ports/terminal.ts';
import type { CommandContext } from '../../model/context.ts';

/**
 * The prompts of a command that writes: what is missing is asked for only where the request can be sent afterwards. Without a
 * key every question but yes or no fails with denied (3), and with usage (2) for a profile that does not exist. A dry run needs
 * no key, and an address.
 */
export function promptsWithKey({ settings, api, dryRun, prompts }: CommandContext): Prompts {
  const requireKey = async (): Promise<void> => {
    if (settings.local || (await settings.key()) !== undefined) return;
    // It is not sent: it fails where there is no address.
    await api.preview(readRequest(['v2', 'pods']));
    if (!dryRun) throw noKey();
  };
  const after = async <T>(ask: () => Promise<T>): Promise<T> => {
    await requireKey();
    return await ask();
  };
  return {
    text: (message, options) => after(() => prompts.text(message, options)),
    secret: (message) => after(() => prompts.secret(message)),
    select: (message, choices) => after(() => prompts.select(message, choices)),
    confirm: (message, initial) => prompts.confirm(message, initial),
  };
}
