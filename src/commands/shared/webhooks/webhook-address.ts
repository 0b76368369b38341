import { usage } from '../../../core/failure.ts';
import { REFUSED_PORTS } from '../../../core/addresses/http-address.ts';

/** The address of a receiver of webhooks, as it was given. Fails with usage (2) for what cannot be one; `flag` names it. */
export function webhookAddress(text: string, flag: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw usage(`${flag} is not an http or https address`, `Write it in full: ${flag} http://127.0.0.1:3000/hook`);
  if (url.username !== '' || url.password !== '')
    throw usage(`${flag} holds a user name or password`, 'It would be printed and kept: leave it out.');
  if (REFUSED_PORTS.includes(Number(url.port === '' ? 80 : url.port)))
    throw usage(`${flag}: web clients never connect to port ${url.port}`, 'That port belongs to another protocol.');
  return url.href;
}
