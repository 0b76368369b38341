export { createQueueOperations, type QueueOptions, type StreamShape } from './api/operations.ts';
export { advanceQueue, removeQueue } from './engine/engine.ts';
export { usageOf } from './engine/usage.ts';
