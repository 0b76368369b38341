import { Readable } from 'node:stream';
import type { RunAgain } from '../core/context.ts';
import type { OpenLocal } from './connection/connection.ts';
import { byteOutput, type Output, type Runtime } from './runtime/runtime.ts';

/** `openLocal` is that of the command that runs this one in its process. */
export type RunCli = (argv: readonly string[], runtime: Runtime, openLocal?: OpenLocal) => Promise<number>;

/** Runs a command line in this process, with streams of its own: no terminal, nothing on stdin. An abort is its Ctrl-C. */
export const runAgain =
  (runtime: Runtime, run: RunCli | undefined, openLocal: OpenLocal): RunAgain =>
  async (argv, { env, signal, onError }) => {
    if (run === undefined) throw new Error('this context runs no other command line');
    const out: Uint8Array[] = [];
    const own: Partial<Runtime> = {
      env: { ...runtime.env, ...env },
      stdin: Readable.from([]),
      stdout: sink((bytes) => out.push(bytes)),
      stderr: sink((bytes) => {
        onError(Buffer.from(bytes).toString('utf8'));
      }),
      stdoutClosed: false,
      signals: {
        ...runtime.signals,
        on: (listener) => {
          const interrupt = listener.bind(undefined, 'SIGINT');
          signal.addEventListener('abort', interrupt);
          return signal.removeEventListener.bind(signal, 'abort', interrupt);
        },
        onSuspend: () => () => undefined,
      },
      childStreams: 'ignore',
      exitsAfterRun: false,
      exit: () => undefined,
    };
    const changed = Object.create(runtime, Object.getOwnPropertyDescriptors(own)) as Runtime;
    const code = await run(argv, changed, openLocal);
    return { code, out: Buffer.concat(out).toString('utf8') };
  };

const sink = (take: (bytes: Uint8Array) => void): Output =>
  byteOutput((bytes, done) => {
    take(bytes);
    done();
  });
