import type { Clock } from '../core/context.ts';
import type { Quota } from './http/faults/rate-limit.ts';
import type { GivenSettings } from './http/call/settings.ts';
import type { Validator } from './http/requests/validate.ts';
import type { StartContainer } from './pods/port.ts';
import type { StreamShape } from './queue/index.ts';
import type { Store } from './state/file/store.ts';
import type { Resolve } from './webhooks/send.ts';
import type { EndpointSource } from './workers/handlers/source.ts';
import type { StartProcess } from './workers/process/port.ts';

/** What a local service is made of. */
export interface LocalServiceOptions extends GivenSettings {
  readonly clock: Clock;
  /** Returns a number from 0 up to, but not including, 1: for faults with a probability, and ids. */
  readonly random: () => number;
  readonly store: Store;
  /** Requests per rate window; windows that are not named keep their defaults. */
  readonly quota?: Readonly<Partial<Quota>> | undefined;
  /** Whether the known limits of queue operations apply, per endpoint and key. */
  readonly queueLimits: boolean;
  /** The format of the answers of `stream`; default `array`. */
  readonly streamShape?: StreamShape | undefined;
  /** Allows webhooks to other ports of this machine, and to private networks. */
  readonly allowPrivateWebhooks?: boolean | undefined;
  /** Resolves the host names of webhooks; default the system's resolver. */
  readonly resolve?: Resolve | undefined;
  /** Endpoint name to the program that serves it. Programs run only between `start` and `stop`. */
  readonly handlers?: Readonly<Record<string, EndpointSource>> | undefined;
  /** Starts the processes of workers. Needed only with handlers that are commands. */
  readonly startProcess?: StartProcess | undefined;
  /** What the variables of workers begin with, beside those that berth's own worker reads. */
  readonly workerPrefix?: string | undefined;
  /** The path of berth's own worker for Python files. */
  readonly workerRunner?: string | undefined;
  /** To share one validator between services: it compiles each schema once. */
  readonly validator?: Validator;
  /** The folder of the files on volumes. Without it they are in a temporary folder, which `stop` removes. */
  readonly volumesFolder?: string | undefined;
  /** Starts containers that SSH clients can enter. Without it the addresses of pods are made up. */
  readonly startContainer?: StartContainer | undefined;
  /** The folder of the files in containers; as for those on volumes. */
  readonly podsFolder?: string | undefined;
  /** Called with what workers print. */
  readonly log?: ((endpointId: string, text: string) => void) | undefined;
  /** Called with the reason when a webhook is not sent. */
  readonly onWebhookRefused?: ((jobId: string, reason: string) => void) | undefined;
}
