import { Failure, usage } from '../../core/failure.ts';
import { option, flagName, isGiven, onlyWith, type Params, type ValuesOf } from '../../cli/model/params.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { parseYaml } from '../../cli/resource/body/parse-yaml.ts';
import { checkRule, deadlineRule, idleLimits, readPolicy } from '../../guard/policy/policy.ts';
import {
  actionsFor,
  DEFAULT_MAX_ACTIONS,
  GUARD_ACTIONS,
  POD_STATUSES,
  SPENT_SINCE,
  type Condition,
  type Policy,
  type Rule,
  type Selection,
} from '../../guard/policy/rules.ts';
import { DATA_CENTERS, GPUS } from '../shared/collections.ts';

const dollars = (summary: string) => option.text(summary, { metavar: 'DOLLARS' });
const percent = (summary: string) => option.count(summary, 0, { metavar: '%', most: 100 });

/** The flags that make one rule each: the condition of its key. */
const CONDITIONS = {
  idle: option.durationWithUnit('pods that were not used for so long'),
  maxAge: option.durationWithUnit('pods that were created longer ago'),
  maxRunning: option.durationWithUnit('pods that were started longer ago'),
  noDeadline: option.on('pods without a deadline'),
  maxSpent: dollars('pods that cost more since their start'),
  accountPerHour: dollars('the selected pods, when the account costs more an hour'),
  accountMonth: dollars('the selected pods, when the account has cost more in this month'),
  withoutJobs: option.durationWithUnit('endpoints that keep workers (workers.min above 0) and had no job for so long'),
  unusedStorage: option.on('report stopped pods with a disk, and volumes that are mounted nowhere'),
} as const satisfies Params;

const SELECTORS = {
  match: option.texts("only with a name like this pattern, such as 'train-*'", { metavar: 'GLOB' }),
  status: option.list('only pods with one of these statuses', { metavar: 'STATUS', choices: POD_STATUSES }),
  olderThan: option.durationWithUnit('only created longer ago than this'),
  dataCenter: option.list('only pods in these data centers', { metavar: 'DC', complete: DATA_CENTERS }),
  gpu: option.list('only pods with these GPU types', { metavar: 'GPU', complete: GPUS }),
  costAbove: dollars('only pods that cost more an hour'),
} as const satisfies Params;

/** The flags of a policy: a file, or conditions, whom they are about, and what is done. */
export const POLICY_OPTIONS = {
  policy: option.text('a policy: a YAML or JSON file, or - for stdin; berth schema guard-policy', {
    metavar: 'FILE',
    complete: 'file',
  }),
  ...CONDITIONS,
  idleGpu: onlyWith(['idle'], percent('idle: GPU use below this (default 5)')),
  idleCpu: onlyWith(['idle'], percent('idle: CPU use below this (default 10)')),
  idleMemory: onlyWith(['idle'], percent('idle: memory use below this (default: not looked at)')),
  spentSince: onlyWith(['maxSpent'], option.choice('what --max-spent counts from (default start)', SPENT_SINCE)),
  ...SELECTORS,
  do: option.choice('what is done (default stop, and for endpoints scale-to-zero)', GUARD_ACTIONS),
  allowTerminate: option.on('deadlines and rules may terminate pods'),
  maxActions: option.count(`refuse to end more pods at once without --yes (default ${DEFAULT_MAX_ACTIONS})`, 1),
} as const satisfies Params;

type PolicyValues = ValuesOf<typeof POLICY_OPTIONS>;

/** Flags that may be given beside a file. */
const WITH_FILE: readonly string[] = ['policy', 'allowTerminate', 'maxActions'];

/** Whether a flag of a policy is given. */
export const hasPolicy = (values: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(POLICY_OPTIONS).some((key) => isGiven(values[key]));

/** The policy of the flags or of their file. Fails with usage (2), and with local-file (14) for a file that cannot be read. */
export async function policyOf(ctx: CommandContext, values: PolicyValues): Promise<Policy> {
  if (values.policy === undefined) return flagPolicy(values);
  const other = Object.keys(POLICY_OPTIONS).find(
    (key) => !WITH_FILE.includes(key) && isGiven(values[key as keyof PolicyValues]),
  );
  if (other !== undefined)
    throw usage(`--policy and ${flagName(other)} exclude each other`, 'A policy has all rules: keep one of them.');
  const from = values.policy === '-' ? 'stdin' : values.policy;
  const text = new TextDecoder().decode(await ctx.files.read(values.policy));
  const policy = readFrom(from, () => readPolicy(parseYaml(text, from)));
  return {
    ...policy,
    allowTerminate: policy.allowTerminate || values.allowTerminate,
    maxActions: values.maxActions ?? policy.maxActions,
  };
}

/** Names the file of a policy in the failures of its reading. */
function readFrom(from: string, read: () => Policy): Policy {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Failure) || error.message.startsWith(from)) throw error;
    throw error.with({ message: `${from}: ${error.message}` });
  }
}

/** Deadlines are always kept; each condition flag adds a rule of its name. */
function flagPolicy(values: PolicyValues): Policy {
  const select: Selection = {
    match: values.match,
    status: values.status,
    dataCenter: values.dataCenter,
    gpu: values.gpu,
    olderThan: values.olderThan,
    costAbove: amountOf(values.costAbove, 'costAbove'),
  };
  const rules = Object.keys(CONDITIONS).flatMap((key): Rule[] => {
    const when = conditionOf(key as keyof typeof CONDITIONS, values);
    if (when === undefined) return [];
    const actions = actionsFor(when);
    // What can only be reported is reported.
    const action = actions.length === 1 ? 'report' : (values.do ?? actions[1] ?? 'report');
    const rule = { name: flagName(key).slice(2), select, when, action };
    checkRule(rule, flagName(key));
    return [rule];
  });
  if (rules.length === 0) refuseWithout(values);
  return {
    rules: [deadlineRule(), ...rules],
    exceptions: [],
    allowTerminate: values.allowTerminate,
    maxActions: values.maxActions ?? DEFAULT_MAX_ACTIONS,
  };
}

/** Selectors and actions without a condition would do nothing, in silence. */
function refuseWithout(values: PolicyValues): void {
  const given = [...Object.keys(SELECTORS), 'do'].find((key) => isGiven(values[key as keyof PolicyValues]));
  if (given !== undefined)
    throw usage(
      `${flagName(given)} needs a condition`,
      `Such as ${Object.keys(CONDITIONS).map(flagName).join(', ')}. Deadlines are kept without one.`,
    );
}

function conditionOf(key: keyof typeof CONDITIONS, values: PolicyValues): Condition | undefined {
  switch (key) {
    case 'idle':
      if (values.idle === undefined) return undefined;
      return {
        kind: 'idle',
        limits: idleLimits(values.idle, { gpu: values.idleGpu, cpu: values.idleCpu, memory: values.idleMemory }),
      };
    case 'maxAge':
      return values.maxAge === undefined ? undefined : { kind: 'age', ms: values.maxAge };
    case 'maxRunning':
      return values.maxRunning === undefined ? undefined : { kind: 'running', ms: values.maxRunning };
    case 'noDeadline':
      return values.noDeadline ? { kind: 'no-deadline' } : undefined;
    case 'maxSpent':
      return withAmount(values.maxSpent, key, (dollars) => ({
        kind: 'spent',
        dollars,
        since: values.spentSince ?? 'start',
      }));
    case 'accountPerHour':
      return withAmount(values.accountPerHour, key, (dollars) => ({ kind: 'account-per-hour', dollars }));
    case 'accountMonth':
      return withAmount(values.accountMonth, key, (dollars) => ({ kind: 'account-month', dollars }));
    case 'withoutJobs':
      return values.withoutJobs === undefined ? undefined : { kind: 'no-jobs', ms: values.withoutJobs };
    case 'unusedStorage':
      return values.unusedStorage ? { kind: 'unused-storage' } : undefined;
  }
}

function withAmount(
  text: string | undefined,
  key: string,
  make: (dollars: number) => Condition,
): Condition | undefined {
  const amount = amountOf(text, key);
  return amount === undefined ? undefined : make(amount);
}

function amountOf(text: string | undefined, key: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(text.trim()))
    throw usage(`${flagName(key)} is not an amount in US dollars: ${JSON.stringify(text)}`, 'Write 20 or 2.50.');
  return Number(text);
}
