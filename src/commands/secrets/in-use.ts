import { type Json, objectAt, stringAt, stringOf } from '../../core/json.ts';
import type { Guard } from '../../cli/resource/delete.ts';
import { ENDPOINTS, PODS, TEMPLATES } from '../shared/collections.ts';
import { usersOf } from '../shared/in-use.ts';
import { secretNamesIn } from '../shared/secret-placeholder.ts';

/**
 * Refuses to delete a secret whose placeholder is in a variable: the service deletes it all the same (additions 7). Fails as
 * the lists of pods, endpoints and templates do.
 */
export const secretInUse: Guard = {
  force: 'delete secrets that are in use too',
  reasons: usersOf({
    noun: 'secret',
    users: [PODS, ENDPOINTS, TEMPLATES],
    usedBy: secretsOf,
    keyOf: (secret) => stringAt(secret, 'name') ?? '',
  }),
  hint: () => 'Take it out of their variables first.',
};

/** The names of the secrets in the variables of a row. */
function secretsOf(row: Json): readonly string[] {
  return Object.values(objectAt(row, 'env') ?? {}).flatMap((value) => secretNamesIn(stringOf(value) ?? ''));
}
