import { accessFailure, allowedAccess, requireAccess, type Access } from '../../core/access.ts';
import type { Command, Values } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import type { RunState } from './context/create-context.ts';

/**
 * Fails with denied (3) where the setting `access` does not allow the command, by its command line alone: before anything is
 * asked, read or opened. `values` are undefined before they are complete: what depends on them is checked with them. A dry run
 * shows what it is about, and then ends with this failure.
 */
export function refuseAccess(ctx: CommandContext, state: RunState, command: Command, values: Values | undefined): void {
  const { needs } = command;
  if ((typeof needs === 'function') !== (values !== undefined)) return;
  const needed = typeof needs === 'function' ? needs(values ?? {}) : (needs ?? usualNeed(command));
  if (needed === 'read') return;
  const allowed = allowedAccess(ctx.settings);
  if (!ctx.dryRun) requireAccess(needed, allowed);
  // Without a need of its own, the requests of the dry run tell it.
  else if (needs !== undefined) state.refusal ??= accessFailure(needed, allowed);
}

/** What a command needs that does not say it. */
const usualNeed = ({ writes, destroys }: Command): Access => (!writes ? 'read' : destroys ? 'full' : 'write');
