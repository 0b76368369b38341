export { LOCAL_KEY } from './auth.ts';
export { DroppedConnection } from './dispatch.ts';
export { serveLocal, type ServedService } from './server.ts';
export { createLocalService, type LocalService, type LocalServiceOptions } from './service.ts';
export { fileStore, memoryStore, type Store } from './store.ts';
