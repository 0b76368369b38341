export { createQueueOperations, type QueueOptions, type StreamShape } from './api/operations.ts';
export { advanceQueue, endpointChanged, recordPrinted, removeQueue } from './engine.ts';
export {
  ignorePause,
  loseAllWorkers,
  managedWorkers,
  PING_INTERVAL_MS,
  recordWorkerExit,
  refuseWaitingJobs,
  type ManagedWorker,
} from './protocol/losses.ts';
export { usageOf } from './jobs/workers.ts';
export { createHeldRequests } from './worker-api/held-requests.ts';
export { createWorkerOperations } from './worker-api/operations.ts';
export { workerEnvironment } from './worker-api/environment.ts';
