import { EXIT } from './exit-codes.ts';
import { Failure } from './failure.ts';
import { berth, sentence } from './message.ts';
import type { SettingsView } from './settings.ts';

/** What berth may do: only read; also create and change; also destroy. Each includes the ones before it. */
const ACCESS_LEVELS = ['read', 'write', 'full'] as const;
export type Access = (typeof ACCESS_LEVELS)[number];

export interface AllowedAccess {
  readonly level: Access;
  readonly from: string;
  /** Whether BERTH_ACCESS says it: it then comes before the profile. */
  readonly isFromVariable: boolean;
}

/** Fails as the settings do. */
export function allowedAccess(settings: SettingsView): AllowedAccess {
  const isFromVariable = settings.source('access') === 'environment';
  const from = isFromVariable ? 'from BERTH_ACCESS' : `of the profile "${settings.profile}"`;
  return { level: settings.get('access'), from, isFromVariable };
}

/** The failure denied (3) when more is needed than is allowed. */
export function accessFailure(needed: Access, allowed: AllowedAccess): Failure | undefined {
  if (ACCESS_LEVELS.indexOf(needed) <= ACCESS_LEVELS.indexOf(allowed.level)) return undefined;
  return new Failure({
    code: 'access',
    exit: EXIT.denied,
    message: `this needs \`${needed}\` access, and the setting access is \`${allowed.level}\` ${allowed.from}; nothing was sent`,
    hint: allowed.isFromVariable
      ? `Allow it for one command: BERTH_ACCESS=${needed}. Or remove the variable; the setting of the profile then counts.`
      : sentence`Allow it for one command: BERTH_ACCESS=${needed}. Or for the profile: ${berth`config set access ${needed}`}.`,
  });
}

/** Fails with denied (3). Call it before anything is sent or changed. */
export function requireAccess(needed: Access, allowed: AllowedAccess): void {
  const failure = accessFailure(needed, allowed);
  if (failure !== undefined) throw failure;
}
