import type { Clock } from '../core/context.ts';
import type { Quota } from './http/rate-limit.ts';
import type { GivenSettings } from './http/operation.ts';
import type { StartContainer } from './containers.ts';
import type { StreamShape } from './queue/index.ts';
import type { Store } from './state/store.ts';
import type { Resolve } from './webhooks/send.ts';
import type { EndpointSource } from './workers/handlers.ts';
import type { StartProcess } from './workers/processes.ts';

export interface LocalServiceOptions extends GivenSettings {
  readonly clock: Clock;
  /** From 0 up to, but not including, 1: for faults with a probability, and ids. */
  readonly random: () => number;
  readonly store: Store;
  /** Windows that are not named keep their defaults. */
  readonly quota?: Readonly<Partial<Quota>> | undefined;
  readonly queueLimits: boolean;
  /** Default `array`. */
  readonly streamShape?: StreamShape | undefined;
  /** Allows webhooks to other ports of this machine, and to private networks. */
  readonly allowPrivateWebhooks?: boolean | undefined;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve | undefined;
  /** By endpoint name. Programs run only between `start` and `stop`. */
  readonly handlers?: Readonly<Record<string, EndpointSource>> | undefined;
  /** Needed only with handlers that are commands. */
  readonly startProcess?: StartProcess | undefined;
  /** Besides the prefix that berth's own worker reads. */
  readonly workerPrefix?: string | undefined;
  readonly workerRunner?: string | undefined;
  /** Default: a temporary folder, which `stop` removes. */
  readonly volumesFolder?: string | undefined;
  /** Without it the addresses of pods are made up. */
  readonly startContainer?: StartContainer | undefined;
  /** Default as for `volumesFolder`. */
  readonly podsFolder?: string | undefined;
  readonly log?: ((endpointId: string, text: string) => void) | undefined;
  readonly onWebhookRefused?: ((jobId: string, reason: string) => void) | undefined;
}
