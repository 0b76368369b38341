import type { ApiRequest } from './api.ts';
import { EXIT } from './exit-codes.ts';
import { Failure } from './failure.ts';
import { isObject, type Json, memberAt, tryDecodeJson } from './json.ts';
import { berth, sentence } from './message.ts';
import type { SettingsView } from './settings.ts';

/** What berth may do: only read; also create and change; also destroy. Each includes the ones before it. */
const ACCESS_LEVELS = ['read', 'write', 'full'] as const;
export type Access = (typeof ACCESS_LEVELS)[number];
export type AccessSetting = Pick<SettingsView, 'get' | 'source' | 'profile'>;

/** The failure denied (3) when more is needed than the setting allows. Fails as the settings do. */
export function accessFailure(needed: Access, settings: AccessSetting): Failure | undefined {
  const level = settings.get('access');
  if (ACCESS_LEVELS.indexOf(needed) <= ACCESS_LEVELS.indexOf(level)) return undefined;
  const isFromVariable = settings.source('access') === 'environment';
  const from = isFromVariable ? 'from BERTH_ACCESS' : `of the profile "${settings.profile}"`;
  return new Failure({
    code: 'access',
    exit: EXIT.denied,
    message: `this needs \`${needed}\` access, and the setting access is \`${level}\` ${from}; nothing was sent`,
    hint: isFromVariable
      ? `Allow it: BERTH_ACCESS=${needed}.`
      : sentence`Allow it for one command: BERTH_ACCESS=${needed}. Or for the profile: ${berth`config set access ${needed}`}.`,
  });
}

/** Fails with denied (3). Call it before anything is sent or changed. */
export function requireAccess(needed: Access, settings: AccessSetting): void {
  const failure = accessFailure(needed, settings);
  if (failure !== undefined) throw failure;
}

/** Looks only at the request, so `berth api` is treated alike. In the local service, only reset destroys. */
export function destroysAnything({ method, path, body, destroys }: ApiRequest): boolean {
  if (destroys !== undefined) return destroys;
  const last = path.at(-1);
  if (path[0] === 'local') return last === 'reset';
  if (method === 'DELETE' || method === 'PUT' || last === 'purge-queue') return true;
  return last === 'action' && memberAt(jsonBody(body), 'action') === 'terminate';
}

function jsonBody(body: ApiRequest['body']): Json | undefined {
  const raw = isObject(body) ? body['raw'] : undefined;
  if (!(raw instanceof Uint8Array)) return body as Json | undefined;
  return tryDecodeJson(Buffer.from(raw).toString());
}

export function accessNeeded(request: ApiRequest): Access {
  if (request.method === 'GET') return 'read';
  return destroysAnything(request) ? 'full' : 'write';
}
