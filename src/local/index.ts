export { LOCAL_KEY } from './frame/auth.ts';
export { DroppedConnection } from './frame/dispatch.ts';
export { serveLocal } from './frame/server.ts';
export { createLocalService, type LocalService } from './service.ts';
export { fileStore, memoryStore, type Store } from './state/store.ts';
