import { operation, type Operation, reply } from '../http/operation.ts';
import { bodyOf } from '../http/validate.ts';
import { sshKeys } from '../model/records.ts';

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
