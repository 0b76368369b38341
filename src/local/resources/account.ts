import { operation, reply, type Operation } from '../http/call/operation.ts';
import { sshKeys } from '../model/ssh-keys.ts';
import { bodyOf } from '../http/requests/validate.ts';

/** The account's SSH keys: a PUT replaces all of them, `[]` removes them (contract rules, SSH keys). */
export const accountOperations: readonly Operation[] = [
  operation(
    'getSshKeys',
    reply(200, (state) => ({ keys: sshKeys.of(state) })),
  ),
  operation(
    'updateSshKeys',
    reply(200, (state, call) => {
      const { keys } = bodyOf(call) as { keys: readonly string[] };
      sshKeys.replace(state, keys);
      return { keys };
    }),
  ),
];
