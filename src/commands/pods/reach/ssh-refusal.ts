import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { berth, sentence } from '../../../core/message.ts';
import { safeText } from '../../../core/safe-text.ts';
import type { ReachablePod } from './reach-pod.ts';

/** Why ssh was not let in, by the lines that it printed, as denied (3); undefined for another reason. Another try does not change it. */
export function sshRefusal({ id, name }: ReachablePod, said: readonly string[]): Failure | undefined {
  const denied = said.find((line) => /Permission denied \(|Host key verification failed/.test(line));
  if (denied === undefined) return undefined;
  return new Failure({
    code: 'ssh-refused',
    exit: EXIT.denied,
    message: `ssh cannot enter pod ${name}: ${safeText(denied.trim().replace(/\.$/, ''))}`,
    hint: denied.includes('Host key')
      ? sentence`Its host key changed within one start of the pod. See it: ${berth`pods get ${id}`}`
      : sentence`Which keys would fit, and what to do when none does: ${berth`pods ssh ${id} --explain`}`,
    id,
  });
}
