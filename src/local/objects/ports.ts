import type { Clock } from '../../core/context.ts';
import type { FaultPoint } from '../../core/control/fault-kinds.ts';
import { faults, takeFaultsAt, type FaultedRequest, type FaultRecord } from '../http/call/injected-faults.ts';
import type { Transact } from '../state/state.ts';
import type { VolumeFolders } from './volumes/volumes.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** What the answering of requests for files needs. */
export interface ObjectPorts {
  readonly folders: VolumeFolders;
  /** Takes the faults that affect a request at these points, counted down. */
  readonly takeFaultsAt: (points: readonly FaultPoint[], request: FaultedRequest) => Promise<readonly FaultRecord[]>;
  readonly sleep: (milliseconds: Milliseconds) => Promise<void>;
  /** The time of this machine, not that of the service, which may be moved: clients' clocks are checked. */
  readonly time: () => number;
}

interface Parts extends Pick<ObjectPorts, 'folders' | 'sleep'> {
  readonly transact: Transact;
  readonly clock: Clock;
  readonly random: () => number;
}

export const createObjectPorts = ({ folders, transact, clock, random, sleep }: Parts): ObjectPorts => ({
  folders,
  takeFaultsAt: (points, request) => transact((state) => takeFaultsAt(faults.of(state), points, request, random)),
  sleep,
  // eslint-disable-next-line no-restricted-syntax -- a date
  time: () => clock.now(),
});
