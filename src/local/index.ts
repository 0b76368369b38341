export { LOCAL_KEY } from './auth.ts';
export { DroppedConnection } from './dispatch.ts';
export { serveLocal } from './server.ts';
export { createLocalService, type LocalService } from './service.ts';
export { fileStore, memoryStore, type Store } from './store.ts';
