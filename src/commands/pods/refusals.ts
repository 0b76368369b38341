/** The refusals of a create or start whose status says too little (additions 3). */
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import type { Failure } from '../../core/failure.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { run } from '../../cli/hint.ts';

type Refused = 'create' | 'create by apply' | 'create of a cluster' | 'start' | 'restart';

export const ROOM_HINT: Message = sentence`Pass --until-available 6h or another --gpu. ${run(berth`catalog gpus --available --product POD`)}`;

const ROOM_HINTS: Readonly<Record<Refused, Message>> = {
  create: ROOM_HINT,
  'create by apply': 'Run the same command again once there is room: it makes the rest.',
  'create of a cluster': run(berth`catalog gpus --available --product CLUSTER`),
  start: 'Pass --until-available 6h to wait for the machine of the pod.',
  restart: 'Try again later, or create another pod.',
};

interface Refusal {
  readonly code: 'no-capacity' | 'payment-required' | 'forbidden' | 'too-large';
  readonly status: number;
  /** What the service says of a status that has other reasons too. */
  readonly text?: RegExp;
  readonly exit: ExitCode;
  readonly message: string;
  /** Else by what was refused. */
  readonly hint?: Message;
}

const PAYMENT = {
  code: 'payment-required',
  exit: EXIT.refused,
  message: 'balance too low',
  hint: 'Add credit to the account.',
} as const;

const REFUSALS: readonly Refusal[] = [
  { code: 'forbidden', status: 403, exit: EXIT.denied, message: 'not allowed', hint: run(berth`auth status --check`) },
  { ...PAYMENT, status: 402 },
  { ...PAYMENT, status: 400, text: /insufficient funds/i },
  {
    code: 'too-large',
    status: 413,
    exit: EXIT.refused,
    message: 'the request is too large',
    hint: 'Put large values into the image, on a volume or into a secret.',
  },
  {
    code: 'no-capacity',
    status: 400,
    text: /no longer any instances available|instances currently available|resources to deploy|not enough free gpus on the host|insufficient capacity|no available machine|out of stock/i,
    exit: EXIT.refused,
    message: 'no room for this pod',
  },
];

/** Undefined for any other failure. A network that answers in place of the service is one. */
export const refusalOf = ({ code, status, title, detail }: Failure): Refusal | undefined =>
  code === 'blocked'
    ? undefined
    : REFUSALS.find((each) => each.status === status && (each.text?.test(detail ?? title ?? '') ?? true));

export function inOwnWords(failure: Failure, refused: Refused): Failure {
  const refusal = refusalOf(failure);
  if (refusal === undefined) return failure;
  const { code, exit, message, hint = ROOM_HINTS[refused] } = refusal;
  const said = failure.detail ?? failure.title;
  return failure.with({ code, exit, message: said === undefined ? message : `${message}: ${safeText(said)}`, hint });
}
