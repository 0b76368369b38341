import { expect, test } from 'vitest';
import { createAccount } from '../../../support/worlds/local-account.ts';

test.each<readonly [command: string, code: number, says: RegExp]>([
  ['pods exec -- ls', 2, /missing POD/],
  ['pods exec', 2, /missing POD/],
  ['pods exec pod-train', 2, /missing COMMAND[^]*pods exec POD -- nvidia-smi/],
  ['pods exec pod-train ls', 2, /missing COMMAND/],
  ['pods exec pod-train --match x -- ls', 2, /use either POD or --match/],
  ['pods exec pod-train --all -- ls', 2, /use either POD or --all/],
  ['pods exec --match x', 2, /missing COMMAND/],
  ['pods exec --match x -- ls', 4, /no running pod matches/],
  ['pods exec --status EXITED -- ls', 4, /skipped [^]*pod-stopped[^]*no running pod matches/],
  ['pods exec nothing -- ls', 4, /no pod/i],
])('%s ends %i and says what is wrong', async (command, code, says) => {
  const ran = await createAccount()(command);
  expect([ran.code, ran.out, ran.err]).toEqual([code, '', expect.stringMatching(says)]);
});
