import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { numberAt, stringAt, type Json } from '../../../core/json.ts';
import { berth, sentence } from '../../../core/message.ts';

/** Where ssh connects to: checked, so that nothing of it can become an option of ssh or be run by a shell. */
export interface SshAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
}

/** The address that a service gives for a pod. Fails with unavailable (7) where its host, user or port is invalid. */
export function sshAddress(address: Json, id: string): SshAddress {
  const host = stringAt(address, 'host') ?? '';
  const user = stringAt(address, 'username') ?? '';
  const port = numberAt(address, 'port') ?? Number.NaN;
  if (!/^[A-Za-z0-9:]([A-Za-z0-9.:_-]*[A-Za-z0-9.:])?$/.test(host)) throw invalidAddress('host', id);
  if (!/^[A-Za-z0-9_][A-Za-z0-9._@+-]*$/.test(user)) throw invalidAddress('user name', id);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw invalidAddress('port', id);
  return { host, port, user };
}

/** The arguments of ssh that name an address. */
export const addressArguments = ({ host, port, user }: SshAddress): readonly string[] => [
  '-p',
  String(port),
  `${user}@${host}`,
];

const invalidAddress = (what: string, id: string): Failure =>
  new Failure({
    code: 'unusable-answer',
    exit: EXIT.unavailable,
    message: `the service gives an invalid ${what} for ssh`,
    hint: sentence`Nothing was run. See what it says: ${berth`pods get ${id} --fields ssh --json`}`,
    id,
  });
