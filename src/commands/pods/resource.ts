import type { Resource } from '../../cli/resource/read.ts';
import { PODS as LOOKUP } from '../shared/collections.ts';
import { podView } from './view.ts';

/** Pods, where they lie and how they are shown. */
export const PODS: Resource<'pod'> = { ...LOOKUP, view: podView };

/** Every status (specification 3.1). */
export const STATUSES = ['PROVISIONING', 'STARTING', 'RUNNING', 'EXITED', 'ERROR', 'TERMINATED'] as const;
