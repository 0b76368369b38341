import type { JsonObject } from '../core/json.ts';

export { LOCAL_KEY } from './http/admission.ts';
export { LOCAL_STORAGE_KEY } from './objects/request.ts';
export { addressParts } from './http/operation.ts';
export { DroppedConnection } from './http/faults.ts';
export { serveLocal } from './http/server.ts';
export { SECRET_PREFIX, type GivenSettings } from './http/operation.ts';
export { createLocalService, type LocalService } from './service.ts';
export { START_OVER } from './state/state.ts';
export { fileStore, memoryStore, type Store } from './state/store.ts';
export type { ProcessEnd, ProcessSpec, RunningProcess, StartProcess } from './workers/handlers.ts';
export type { ContainerSpec, PodContainer, StartContainer } from './containers.ts';
export type { EndpointSource } from './workers/handlers.ts';

export const contractSchemas = async (): Promise<Readonly<Record<string, JsonObject>>> =>
  (await import('./contract/document.ts')).contract.components.schemas as Readonly<Record<string, JsonObject>>;

/** Loaded on use: a command with `--local` runs no handlers. */
export const checkHandlerModule = async (path: string, timeout: AbortSignal): Promise<string | undefined> =>
  (await import('./workers/thread.ts')).checkHandlerModule(path, timeout);
