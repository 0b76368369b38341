export { createQueueOperations, type QueueOptions, type StreamShape } from './operations.ts';
export { advanceQueue, endpointChanged, recordPrinted, removeQueue } from './engine.ts';
export { loseAllWorkers, recordWorkerExit, refuseWaitingJobs } from './crashes.ts';
export { ignorePause, managedWorkers, PING_INTERVAL_MS, type ManagedWorker, usageOf } from './workers.ts';
export { createHeldRequests } from './held-requests.ts';
export { createWorkerOperations } from './worker-operations.ts';
