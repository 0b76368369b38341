import { EXIT } from '../../core/exit-codes.ts';
import { usage } from '../../core/failure.ts';
import { berth, sentence } from '../../core/message.ts';
import { MINUTE_MS } from '../../core/unit-types.ts';
import { defineCommand, waitTimeoutOption, yesOption } from '../../cli/model/command.ts';
import { arg, option, type Params } from '../../cli/model/params.ts';
import { bodyFlags } from '../../cli/resource/request-body.ts';
import { RULES } from '../pods/create.ts';
import { PLACEMENT } from '../pods/place.ts';
import { PODS } from '../pods/fields.ts';

const OWN =
  'gpu gpuCount cpu vcpu image template env envFrom registry cloud dataCenter cuda minCuda disk networkVolume name';
/** As `pods create` has them. */
const podFlags: Params = Object.fromEntries(
  Object.entries(bodyFlags(PODS, 'create', RULES)).filter(([key]) => OWN.split(' ').includes(key)),
);

export const runCommand = defineCommand({
  summary: 'run one command on a GPU, bring back its results, and terminate the pod',
  details:
    "Creates a pod, copies --in, runs the command, copies --out, terminates the pod; the exit code is the command's. A second process ends the pod where this one is killed, a guard 15 minutes after --timeout.",
  args: {
    // Without its check: another word is a command without --.
    what: { ...arg.optional('go on with a detached run, or end one'), choices: ['attach', 'end'], parse: String },
    pod: arg.optional('the pod of that run, or the mark of one to end', { complete: PODS }),
    command: arg.afterDashes('the command and its arguments, as they are', '-- COMMAND ARGS...'),
  },
  options: {
    ...podFlags,
    ...PLACEMENT,
    in: option.texts('copy this file or folder into the pod first', { metavar: 'PATH[:REMOTE]' }),
    out: option.texts('copy this file or folder back at the end', { metavar: 'REMOTE[:PATH]' }),
    noOut: option.on('copy nothing back after an interrupt'),
    workdir: option.text('folder of the command (default a new one)', { metavar: 'PATH' }),
    timeout: option.durationOr('end it after this time', 's', 24 * 60 * MINUTE_MS, '24h'),
    maxCost: option.dollars('end it when it has cost this much'),
    waitTimeout: waitTimeoutOption('how long the pod may take until it answers ssh'),
    keep: option.on('do not terminate the pod'),
    keepOnFailure: option.on('do not terminate the pod where the command fails'),
    detach: option.on('leave the command running', { unless: ['out', 'maxCost', 'keep', 'keepOnFailure', 'receipt'] }),
    // Of end; by the second process, which ends nothing where it is told something before its input ends.
    yes: { ...yesOption, hidden: true },
    whenUntold: { ...option.on('end it where nothing comes on stdin'), hidden: true },
    key: option.text('private key of a run that another machine began', { metavar: 'PATH', complete: 'file' }),
    receipt: option.text('write the receipt into this file', { metavar: 'FILE', complete: 'file' }),
  },
  writes: true,
  costs: true,
  waits: true,
  exitsAsProgram: true,
  exits: [EXIT.waitEnded, EXIT.jobFailed, EXIT.limitExceeded],
  examples: [
    [
      'berth run --gpu GPU-24G --image example/pytorch:2.8 --in . --out results/ --max-cost 2 -- python train.py',
      'train, and bring back the results',
    ],
    ['berth run --gpu GPU-24G --image example/pytorch:2.8 --detach -- python train.py', 'and leave it running'],
    ['berth run attach run-7f3a --out results/', 'go on with it'],
  ],
  run: async (ctx, values) => {
    const { attach, begin, end } = await import('./work.ts');
    const { what, pod, command } = values;
    if (what === 'attach' || what === 'end') {
      if (pod === undefined) throw usage('missing POD', sentence`See ${berth`pods list`}.`);
      return what === 'attach' ? await attach(ctx, pod, values) : await end(ctx, pod, values.whenUntold);
    }
    if (what === undefined && command.length > 0) return await begin(ctx, values);
    throw usage(
      what === undefined ? 'missing COMMAND' : `unexpected ${JSON.stringify(what)}: the command goes after --`,
      sentence`Write it after --: ${berth`run --gpu GPU-24G --image example/pytorch:2.8 -- python train.py`}`,
    );
  },
});
