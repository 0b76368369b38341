import type { PartCodec } from '../../state/file/codec.ts';
import { listRecorder } from '../../state/file/list-recorder.ts';
import { recordMapRecorder, textRecordRecorder } from '../../state/file/record-map.ts';
import { objectRecorder, replacedRecorder, valueRecorder, type Recorder } from '../../state/file/recorder.ts';
import { timersRecorder } from './timers-recorder.ts';
import { waitingLineRecorder } from './waiting-line-recorder.ts';

/** Large lists are not compared as one value; long texts have their own files. */
export const queuesCodec: PartCodec = {
  name: 'queue',
  recorder: (texts) =>
    objectRecorder((name) => {
      switch (name) {
        case 'jobs':
          return recordMapRecorder(texts);
        case 'timers':
          return timersRecorder();
        case 'byEndpoint':
          return objectRecorder(() => objectRecorder(endpointMemberRecorder));
        case 'deliveries':
          return listRecorder();
        case 'awaited':
          return objectRecorder((id) => textRecordRecorder(texts, `awaited ${id}`));
        case 'usage':
        case 'windows':
          return objectRecorder(() => replacedRecorder());
        default:
          return valueRecorder();
      }
    }),
};

/** A member that is not named here is compared as JSON text. */
function endpointMemberRecorder(name: string): Recorder {
  switch (name) {
    case 'waiting':
    case 'waitingLow':
      return waitingLineRecorder();
    case 'ended':
      return listRecorder();
    case 'workers':
      return objectRecorder(workerRecorder);
    default:
      return valueRecorder();
  }
}

const workerRecorder = (): Recorder =>
  replacedRecorder(
    objectRecorder((name) => (name === 'runs' || name === 'printed' ? listRecorder() : valueRecorder())),
  );
