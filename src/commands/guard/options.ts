import { usage } from '../../core/failure.ts';
import { formatDuration } from '../../core/units.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { dollarsOf, onlyWith, option, type Params, type ValuesOf } from '../../cli/model/params.ts';
import { DEADLINE_ACTIONS } from '../../guard/deadline.ts';
import type { Policy } from '../../guard/decide.ts';
import { longestInterval, type IdleLimits } from '../../guard/idle.ts';

const LIMITS = ['idle', 'maxAge', 'maxRunning', 'budget'] as const;

/** Each look requests the complete list. */
const MIN_INTERVAL_MS: Milliseconds = 10_000;

/** Use in percent below which a pod is idle. */
const IDLE_DEFAULTS = { gpu: 5, cpu: 10 } as const;

const percent = (summary: string) => onlyWith(['idle'], option.count(summary, 0, { metavar: '%', most: 100 }));

export const GUARD_OPTIONS = {
  idle: option.durationWithUnit('pods that were idle for this long, with --every'),
  maxAge: option.durationWithUnit('pods created longer ago than this'),
  maxRunning: option.durationWithUnit('pods started longer ago than this'),
  budget: option.text('all selected pods, once the account cost more this month', { metavar: 'DOLLARS' }),
  idleGpu: percent(`idle: GPU use below this (default ${IDLE_DEFAULTS.gpu})`),
  idleCpu: percent(`idle: CPU use below this (default ${IDLE_DEFAULTS.cpu})`),
  match: onlyWith(
    LIMITS,
    option.texts("limits: only pods with a name like this pattern, such as 'train-*'", { metavar: 'GLOB' }),
  ),
  do: onlyWith(LIMITS, option.choice('limits: what is done (default stop)', DEADLINE_ACTIONS)),
  allowTerminate: option.on('deadlines and limits may terminate pods'),
  every: option.durationWithUnit('look again after this time, at least 10s, until Ctrl-C'),
} as const satisfies Params;

type GuardValues = ValuesOf<typeof GUARD_OPTIONS>;

/** Usage (2). */
export const policyOf = (values: GuardValues): Policy => ({
  isIdleWatched: values.idle !== undefined,
  maxAge: values.maxAge,
  maxRunning: values.maxRunning,
  budget: dollarsOf('budget', values.budget),
  match: values.match,
  action: values.do ?? 'stop',
  allowTerminate: values.allowTerminate,
});

/** Undefined without --idle. Usage (2) if --every is too rare to tell. */
export function idleLimitsOf({ idle, idleGpu, idleCpu, every }: GuardValues): IdleLimits | undefined {
  if (every !== undefined && every < MIN_INTERVAL_MS)
    throw usage(`--every is at least ${formatDuration(MIN_INTERVAL_MS)}`);
  if (idle === undefined) return undefined;
  if (every === undefined)
    throw usage(
      '--idle needs --every: a pod is idle only once it was watched for the whole time',
      'Such as --every 1m; it runs until Ctrl-C.',
    );
  const longest = longestInterval(idle);
  if (every > longest)
    throw usage(
      `--every ${formatDuration(every)} is too long for --idle ${formatDuration(idle)}`,
      longest < MIN_INTERVAL_MS
        ? `Use --idle of at least ${formatDuration(MIN_INTERVAL_MS * 10)}.`
        : `Use at most --every ${formatDuration(longest)}.`,
    );
  return { forMs: idle, gpu: idleGpu ?? IDLE_DEFAULTS.gpu, cpu: idleCpu ?? IDLE_DEFAULTS.cpu };
}
