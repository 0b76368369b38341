import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import type { Failure } from '../../core/failure.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { refusalClass, type RefusalClass } from '../../create/refusals.ts';
import { run } from '../../cli/hint.ts';

type Refused = 'create' | 'create by apply' | 'create of a cluster' | 'start' | 'restart';

export const ROOM_HINT: Message = sentence`Pass --until-available 6h or another --gpu. ${run(berth`catalog gpus --available --product POD`)}`;

const HINTS: Readonly<Record<Refused, Message>> = {
  create: ROOM_HINT,
  'create by apply': 'Run the same command again once there is room: it makes the rest.',
  'create of a cluster': run(berth`catalog gpus --available --product CLUSTER`),
  start: 'Pass --until-available 6h to wait for the machine of the pod.',
  restart: 'Try again later, or create another pod.',
};

interface Words {
  readonly code: string;
  readonly exit: ExitCode;
  readonly message: string;
  readonly hint: (refused: Refused) => Message;
}

/** The status of these refusals says too little (additions 3). */
const WORDS: Readonly<Partial<Record<RefusalClass, Words>>> = {
  'no-capacity': {
    code: 'no-capacity',
    exit: EXIT.refused,
    message: 'no room for this pod',
    hint: (refused) => HINTS[refused],
  },
  payment: {
    code: 'payment-required',
    exit: EXIT.refused,
    message: 'balance too low',
    hint: () => 'Add credit to the account.',
  },
  'not-allowed': {
    code: 'forbidden',
    exit: EXIT.denied,
    message: 'not allowed',
    hint: () => run(berth`auth status --check`),
  },
  'too-large': {
    code: 'too-large',
    exit: EXIT.refused,
    message: 'the request is too large',
    hint: () => 'Put large values into the image, on a volume or into a secret.',
  },
};

export function inOwnWords(failure: Failure, refused: Refused): Failure {
  const words = WORDS[refusalClass(failure)];
  if (words === undefined) return failure;
  const { code, exit, message, hint } = words;
  const said = failure.detail ?? failure.title;
  return failure.with({
    code,
    exit,
    message: said === undefined ? message : `${message}: ${safeText(said)}`,
    hint: hint(refused),
  });
}
