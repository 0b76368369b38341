import { usage } from '../../../core/failure.ts';

/** A port of this machine and a port of a pod that are joined. */
export interface Forward {
  /** `to-pod`: programs here reach a port of the pod. `from-pod`: programs of the pod reach a port here. */
  readonly direction: 'to-pod' | 'from-pod';
  /** 0 for any free port, on the side that listens. */
  readonly local: number;
  readonly remote: number;
}

/** `LOCAL:REMOTE`, or one number for both; `:REMOTE` and `0:REMOTE` take any free port here. Fails with usage (2). */
export function forwardToPod(word: string): Forward {
  const [local, remote] = portsOf(word, 'LOCAL:REMOTE');
  if (remote === 0)
    throw usage(`${JSON.stringify(word)}: 0 is no port of a pod`, 'Write 0:REMOTE for any free port here.');
  return { direction: 'to-pod', local, remote };
}

/** `REMOTE:LOCAL`, as of ssh -R; `:LOCAL` and `0:LOCAL` take any free port of the pod. Fails with usage (2). */
export function forwardFromPod(word: string): Forward {
  const [remote, local] = portsOf(word, 'REMOTE:LOCAL');
  if (local === 0) throw usage(`--reverse ${JSON.stringify(word)}: 0 is no port of this machine`);
  return { direction: 'from-pod', local, remote };
}

const MAX_PORT = 65_535;

function portsOf(word: string, form: string): readonly [number, number] {
  const found = /^(?:(\d{0,5}):)?(\d{1,5})$/.exec(word);
  const second = Number(found?.[2]);
  const first = found?.[1] === undefined ? second : Number(found[1]);
  if (found === null || first > MAX_PORT || second > MAX_PORT)
    throw usage(
      `${JSON.stringify(word)} is not ${form}`,
      'Ports are numbers from 1 to 65535: 8888:8888, or 8888 for the same on both sides; 0 as the first takes a free one.',
    );
  return [first, second];
}
