import { unlessFailed } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import type { CommandContext } from '../model/context.ts';

/** ` on the profile work`, for a question, where there are several profiles; empty where the account is not a profile's. */
export async function onProfile(ctx: CommandContext): Promise<string> {
  const { settings, profiles } = ctx;
  if (settings.local || !['profile', 'default'].includes(settings.source('base-url') ?? 'default')) return '';
  const known = (await unlessFailed(ctx, () => profiles.list())) ?? [];
  return known.length < 2 ? '' : ` on the profile ${safeText(settings.profile)}`;
}
