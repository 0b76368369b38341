import { operation, type Operation } from '../frame/operation.ts';
import { sshKeys } from '../model/ssh-keys.ts';
import { bodyOf } from '../frame/validate.ts';

/** The account's SSH keys: a PUT replaces all of them, `[]` removes them (contract rules, SSH keys). */
export const accountOperations: readonly Operation[] = [
  operation('getSshKeys', async (call) => ({
    status: 200,
    body: { keys: await call.transact((state) => [...sshKeys.of(state)]) },
  })),
  operation('updateSshKeys', async (call) => {
    const { keys } = bodyOf(call) as { keys: readonly string[] };
    return {
      status: 200,
      body: {
        keys: await call.transact((state) => {
          sshKeys.replace(state, keys);
          return [...keys];
        }),
      },
    };
  }),
];
