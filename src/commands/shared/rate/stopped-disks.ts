/** The disks of pods that are stopped: the container disk is wiped, and a persistent mount costs on. */
import type { Json } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { isTableOutput } from '../../../output/formats/format-table.ts';
import { keptDisks } from './persistent-mounts.ts';

const disksOf = (pods: readonly Json[]): string => (pods.length === 1 ? 'its container disk' : 'their container disks');

/** `It wipes its container disk; what is on mounts stays.` A stop and a restart do (contract rules, Pods). */
export const wipesDisks = (pods: readonly Json[]): string => `It wipes ${disksOf(pods)}; what is on mounts stays.`;

/** That the disks of these pods were wiped; nothing with --quiet, and for a script that reads JSON. */
export function wipedLines(ctx: CommandContext, pods: readonly Json[]): readonly string[] {
  if (ctx.settings.get('quiet') || !isTableOutput(ctx.output) || pods.length === 0) return [];
  return [`This wiped ${disksOf(pods)}; what is on mounts stays.`];
}

/** What stopped pods cost on, without --quiet. */
export function stoppedLines(ctx: CommandContext, pods: readonly Json[]): readonly string[] {
  const kept = ctx.settings.get('quiet') ? undefined : keptDisks(pods);
  return kept === undefined ? [] : [kept];
}
