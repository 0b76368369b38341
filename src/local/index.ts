import type { JsonObject } from '../core/json.ts';

export { fileStore } from './file-store.ts';
export { LOCAL_KEY } from './http/requests/auth.ts';
export { LOCAL_STORAGE_KEY } from './objects/requests/signature.ts';
export { addressParts } from './http/call/request-and-answer.ts';
export { DroppedConnection } from './http/faults/fault-effects.ts';
export { serveLocal } from './http/server/server.ts';
export { SECRET_PREFIX, type GivenSettings } from './http/call/settings.ts';
export { createLocalService, type LocalService } from './service.ts';
export { START_OVER } from './state/file/load-state.ts';
export { checkState, memoryStore, type Store } from './state/file/store.ts';
export type { ProcessEnd, ProcessSpec, RunningProcess, StartProcess } from './workers/process/port.ts';
export type { ContainerSpec, PodContainer, StartContainer } from './pods/port.ts';
export type { EndpointSource } from './workers/handlers/source.ts';

/** The schemas of the published contract, by name. */
export const contractSchemas = async (): Promise<Readonly<Record<string, JsonObject>>> =>
  (await import('./contract/index.ts')).publishedSchemas as Readonly<Record<string, JsonObject>>;

/** See `workers/thread`, which is loaded when it is used: a command with `--local` runs no handlers. */
export const checkHandlerModule = async (path: string, timeout: AbortSignal): Promise<string | undefined> =>
  (await import('./workers/thread/thread.ts')).checkHandlerModule(path, timeout);
