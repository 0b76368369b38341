import { EXIT, type ExitCode } from '../../../core/exit-codes.ts';
import type { Failure } from '../../../core/failure.ts';
import { refusalClass, type RefusalClass } from '../../../create/refusals.ts';
import { safeText } from '../../../core/safe-text.ts';
import { berth, type Message, sentence } from '../../../core/message.ts';
import type { Bytes } from '../../../core/unit-types.ts';

type Refused = 'create' | 'create by apply' | 'create of a cluster' | 'start' | 'restart';

const isCreate = (refused: Refused): boolean => refused.startsWith('create');

interface Words {
  /** The code of the failure. */
  readonly code: string;
  readonly exit: ExitCode;
  readonly message: string;
  /** `id` is that of the pod, where there is one. */
  readonly hint: (refused: Refused, id: string | undefined) => Message;
}

const OTHER_WAY: Readonly<Partial<Record<Refused, string>>> = {
  create: '. For a GPU, --until-available 6h waits for room.',
  'create by apply': '. What was made stays: once there is room, the same command makes the rest.',
};

/** What is said of each class; of the others the failure says enough itself. */
const WORDS: Readonly<Partial<Record<RefusalClass, Words>>> = {
  'no-capacity': {
    code: 'no-capacity',
    exit: EXIT.refused,
    message: 'there is no room for this pod now',
    hint: (refused, id) =>
      isCreate(refused)
        ? sentence`Nothing is wrong with the request. Try another GPU type, data center or cloud, or try again later: ${berth`catalog gpus --available --product POD`}${OTHER_WAY[refused] ?? ''}`
        : sentence`Its machine has too few free GPUs. ${refused === 'start' && id !== undefined ? sentence`To wait for them: ${berth`pods start ${id} --until-available 6h`}. Or` : 'Try again later, or'} create another pod with the same network volume.`,
  },
  payment: {
    code: 'payment-required',
    exit: EXIT.refused,
    message: 'the balance of the account is too low',
    hint: () => 'Nothing was started. Add credit to the account, then run this again.',
  },
  'not-allowed': {
    code: 'forbidden',
    exit: EXIT.denied,
    message: 'this account or key may not do this',
    hint: (refused) =>
      isCreate(refused)
        ? sentence`The account may not use this pool: try another GPU type, data center or cloud. If all are refused, it is the key: ${berth`auth status --check`}`
        : sentence`Nothing was started. Which key is used: ${berth`auth status --check`}`,
  },
  'too-large': {
    code: 'too-large',
    exit: EXIT.refused,
    message: 'the request is too large',
    hint: () =>
      `Nothing was started. A create and its template may have ${MAX_CREATE_BYTES} bytes together: put large values into the image, on a volume or into a secret.`,
  },
};

/** The largest create of a pod, also together with its template (additions 3). */
export const MAX_CREATE_BYTES: Bytes = 102_400;

/** The failure of a create, start or restart of a pod in the words of its class. */
export function inOwnWords(failure: Failure, refused: Refused): Failure {
  const words = WORDS[refusalClass(failure)];
  if (words === undefined) return failure;
  const { code, exit, message, hint } = words;
  const said = failure.detail ?? failure.title;
  return failure.with({
    code,
    exit,
    message: said === undefined ? message : `${message}: ${safeText(said)}`,
    hint: hint(refused, failure.id),
  });
}
