import { describe, expect, test } from 'vitest';
import { commandsOf } from '../../../../src/cli/model/command.ts';
import { FLAGS, NOUNS } from '../../../../src/registry.ts';
import { createAccount } from '../../../support/worlds/local-account.ts';

/** Commands that change what exists already: their first word names it. */
const WITH_A_NAME = (await commandsOf({ nouns: NOUNS, flags: FLAGS }))
  .filter(
    ({ command: { writes, args } }) =>
      writes && Object.values(args).some(({ complete }) => typeof complete === 'object'),
  )
  .map(({ path }) => path.join(' '))
  // A run begins with no pod.
  .filter((words) => words !== 'run');

/** What a command needs besides the name; an update has a new name. */
const MORE: Readonly<Record<string, string>> = {
  'secrets update': '--description a',
  'tags add': 'pod/nothing',
  'tags remove': 'pod/nothing',
  'jobs run': '--input {}',
  'jobs cancel': 'JOB',
  'jobs retry': 'JOB',
  'jobs batch run': '--input - --out o',
};

describe('a dry run about a name that nothing has ends 4:', () => {
  test.each(WITH_A_NAME)('%s', async (words) => {
    const more = MORE[words] ?? (words.endsWith(' update') ? '--set name=a' : '');
    const { code, out, err } = await createAccount()(`${words} nothing ${more} --dry-run`, { stdin: '{"a":1}\n' });
    expect([code, out], err).toEqual([4, '']);
  });
});
