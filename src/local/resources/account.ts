import { operation } from '../contract/operation.ts';
import type { Operation } from '../frame/operation.ts';
import { bodyOf } from '../frame/validate.ts';

/** The account's SSH keys: a PUT replaces the whole set, `[]` clears it (contract rules, SSH keys). */
export const accountOperations: readonly Operation[] = [
  operation('getSshKeys', async (call) => ({
    status: 200,
    body: { keys: await call.transact((state) => [...state.sshKeys]) },
  })),
  operation('updateSshKeys', async (call) => {
    const { keys } = bodyOf(call) as { keys: readonly string[] };
    return {
      status: 200,
      body: {
        keys: await call.transact((state) => {
          state.sshKeys = [...keys];
          return [...keys];
        }),
      },
    };
  }),
];
