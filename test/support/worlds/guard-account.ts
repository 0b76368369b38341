import { createAccount, local, type Account } from './local-account.ts';

/** A decision of a guard as `--json` prints it. */
export interface Row {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly rule: string;
  readonly verdict: string;
  readonly action: string;
  readonly why: string;
  readonly held?: string;
  readonly result?: string;
}

/** The command line that creates a pod; its name and more flags follow. */
export const CREATE = 'pods create --gpu GPU-24G --image i --name';
/** The decisions that a command line prints. */
export const rows = async (account: Account, line: string): Promise<readonly Row[]> =>
  JSON.parse((await account(`${line} --json`)).out) as readonly Row[];
/** The status of a pod as a CSV. */
export const statusOf = (account: Account, pod: string): Promise<string> =>
  local(account, `pods get ${pod} --fields status -o csv`);

/** An account with a pod `lab` whose deadline to stop is 90 minutes after its start. */
export async function withLab(flags = '--stop-after 90m'): Promise<Account> {
  const account = createAccount();
  await local(account, `${CREATE} lab ${flags} -o id`);
  await local(account, 'local clock advance 3m');
  return account;
}
