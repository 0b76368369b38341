import { defineGroup } from '../../cli/model/command.ts';
import { deleteCommand } from '../../cli/resource/delete.ts';
import { listCommand } from '../../cli/resource/list.ts';
import { getCommand, resourceOf } from '../../cli/resource/read.ts';
import { createCommand } from '../../cli/resource/write.ts';
import * as collections from '../shared/collections.ts';
import { createSpec } from './create.ts';
import { SECRET_TABLE } from './fields.ts';
import { secretInUse } from './in-use.ts';
import { update } from './update.ts';

const SECRETS = resourceOf(collections.SECRETS, SECRET_TABLE);

/** `berth secrets` (additions 7). */
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
