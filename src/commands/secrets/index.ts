import { secretNamesIn } from '../../cli/container/environment.ts';
import { defineGroup } from '../../cli/model/command.ts';
import * as collections from '../../cli/resource/collections.ts';
import { ENDPOINTS, PODS, TEMPLATES } from '../../cli/resource/collections.ts';
import { deleteCommand, type Guard } from '../../cli/resource/delete.ts';
import { usersOf } from '../../cli/resource/in-use.ts';
import { listCommand } from '../../cli/resource/list.ts';
import { getCommand, resourceOf } from '../../cli/resource/read.ts';
import { createCommand } from '../../cli/resource/write.ts';
import { createSpec } from './create.ts';
import { SECRET_TABLE } from './fields.ts';
import { update } from './update.ts';
import { type Json, objectAt, stringAt, stringOf } from '../../core/json.ts';

/** The service deletes secrets in use (additions 7). Fails as the lists of users do. */
const secretInUse: Guard = {
  force: 'delete secrets that are in use too',
  reasons: usersOf({
    noun: 'secret',
    users: [PODS, ENDPOINTS, TEMPLATES],
    usedBy: secretsOf,
    keyOf: (secret) => stringAt(secret, 'name') ?? '',
  }),
  hint: () => 'Take it out of their variables first.',
};

function secretsOf(row: Json): readonly string[] {
  return Object.values(objectAt(row, 'env') ?? {}).flatMap((value) => secretNamesIn(stringOf(value) ?? ''));
}

const SECRETS = resourceOf(collections.SECRETS, SECRET_TABLE);

/** Additions 7. */
export const secrets = defineGroup('values for the variables of pods and endpoints, never shown', {
  list: listCommand(SECRETS, {
    summary: 'list secrets; never their values',
    examples: [['berth secrets list', 'names, and when their values were changed']],
  }),
  get: getCommand(SECRETS, {
    summary: 'show a secret; never its value',
    examples: [['berth secrets get api-token', 'by its name']],
  }),
  create: createCommand(SECRETS, 'secrets', createSpec),
  update,
  delete: deleteCommand(SECRETS, 'secrets', {
    summary: 'delete secrets',
    details:
      'A secret that a pod, an endpoint or a template uses is refused, before anything is sent, unless --force is given: the service would delete it all the same.',
    loss: 'Its value cannot be read back. What refers to it gets nothing usable at its next start.',
    guard: secretInUse,
    examples: [['berth secrets delete api-token --yes', 'without a question, for scripts']],
  }),
});
