export { fileStore } from './file-store.ts';
export { LOCAL_KEY } from './frame/auth.ts';
export { DroppedConnection } from './frame/fault-effects.ts';
export { serveLocal } from './frame/server.ts';
export { createLocalService, type LocalService } from './service.ts';
export { memoryStore, type Store } from './state/store.ts';
export { checkHandlerModule } from './workers/thread/thread.ts';
export type { ProcessEnd, ProcessSpec, RunningProcess, StartProcess } from './workers/process/port.ts';
export type { EndpointSource } from './workers/source.ts';
