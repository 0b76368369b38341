import type { ServiceName } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { noProfile } from '../../settings/no-profile.ts';
import { berth, flags, sentence } from '../../core/message.ts';
import type { Settings } from '../../settings/create-settings.ts';

const SERVICE_NAMES: Readonly<Record<ServiceName, string>> = {
  base: 'the management API',
  queue: 'the queue API',
  rest: 'the older volume API',
};

/**
 * Returns the configured address of a service. Fails with usage (2) when none is configured or the profile does not
 * exist, and with denied (3) when nothing is configured or the key in use is not for that address.
 */
export function remoteAddress(settings: Settings, service: ServiceName): string {
  const name = `${service}-url` as const;
  const address = settings.get(name);
  if (address === undefined) {
    if (!settings.profileExists()) throw noProfile(settings.profile, settings.profileNames(), settings.profilesPath);
    if (settings.keySource() === undefined) throw nothingConfigured();
    throw usage(
      `no address is configured for ${SERVICE_NAMES[service]}`,
      sentence`Set BERTH_${service.toUpperCase()}_URL, or keep it: ${berth`config set ${name} URL`}. Or use the local service: --local.`,
    );
  }
  if (settings.source(name) !== 'profile') checkKeyAddress(settings, name, address);
  return address;
}

/** Refuses to send a profile's key to another address, for example one that an environment variable sets. */
function checkKeyAddress(settings: Settings, name: string, address: string): void {
  if (settings.keySource() !== 'profile') return;
  const allowed = Object.values(settings.profileAddresses()).map(originOf);
  if (allowed.includes(originOf(address))) return;
  throw new Failure({
    code: 'foreign-address',
    exit: EXIT.denied,
    message: `the key of profile "${settings.profile}" is for the addresses of that profile, and ${name} names another (from the ${String(settings.source(name))})`,
    hint: sentence`Give the key for it in BERTH_API_KEY, or keep it with the address in a profile of its own: ${berth`auth login --profile NAME ${flags([`--${name}`])} URL`}`,
  });
}

const originOf = (address: string): string => (URL.canParse(address) ? new URL(address).origin : address);

const nothingConfigured = (): Failure =>
  new Failure({
    code: 'no-key',
    exit: EXIT.denied,
    message: 'no service is configured: there is no key and no address',
    hint: sentence`Log in with: ${berth`auth login`}. Or use the local service, without an account: add --local.`,
  });
