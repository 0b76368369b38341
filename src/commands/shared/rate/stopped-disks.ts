/**
 * The disks of pods that are stopped. The container disk is wiped; a persistent mount is paid until the pod is terminated, at
 * a price that is not published.
 */
import { type Json, memberAt, numberAt } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { countOf } from '../../../cli/words/words.ts';
import { isTableOutput } from '../../../output/formats/format-table.ts';

const sizeOf = (pod: Json): number | undefined => numberAt(pod, 'mounts.persistent.size');

/** The stopped pods that keep a persistent mount. */
export const withStoppedDisk = (pods: readonly Json[]): readonly Json[] =>
  pods.filter((pod) => memberAt(pod, 'status') === 'EXITED' && sizeOf(pod) !== undefined);

/** `100 GB`, of all their persistent mounts. */
export const diskSize = (pods: readonly Json[]): string =>
  `${pods.reduce<number>((sum, pod) => sum + (sizeOf(pod) ?? 0), 0)} GB`;

/** `the disk of 1 stopped pod (100 GB) is paid too, at a price that is not published`; none where there is none. */
export function unknownDisks(pods: readonly Json[]): readonly string[] {
  const stopped = withStoppedDisk(pods);
  if (stopped.length === 0) return [];
  const [noun, is] = stopped.length === 1 ? ['disk', 'is'] : ['disks', 'are'];
  return [
    `the ${noun} of ${countOf(stopped.length, 'stopped pod')} (${diskSize(stopped)}) ${is} paid too, at a price that is not published`,
  ];
}

/** What a stop leaves to be paid for; undefined where the pods have no persistent mount. */
export function keptDisks(pods: readonly Json[]): string | undefined {
  const kept = pods.filter((pod) => sizeOf(pod) !== undefined);
  if (kept.length === 0) return undefined;
  const [costs, ends] = kept.length === 1 ? ['costs', 'the pod is terminated'] : ['cost', 'the pods are terminated'];
  const mount = kept.length === 1 ? 'persistent mount' : 'persistent mounts';
  const mounts = pods.length === 1 ? `Its ${mount}` : `The ${mount} of ${countOf(kept.length, 'pod')}`;
  return `${mounts} (${diskSize(kept)}) ${costs} money also while stopped, until ${ends}; the price is not published.`;
}

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
