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
    const listeners = new Set<(signal: 'SIGINT') => void>();
    const interrupt = (): void => {
      for (const listener of [...listeners]) listener('SIGINT');
    };
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
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        onSuspend: () => () => undefined,
      },
      childStreams: 'ignore',
      exitsAfterRun: false,
      exit: () => undefined,
    };
    signal.addEventListener('abort', interrupt, { once: true });
    try {
      const changed = Object.create(runtime, Object.getOwnPropertyDescriptors(own)) as Runtime;
      const code = await run(argv, changed, openLocal);
      return { code, out: Buffer.concat(out).toString('utf8') };
    } finally {
      signal.removeEventListener('abort', interrupt);
    }
  };

const sink = (take: (bytes: Uint8Array) => void): Output =>
  byteOutput((bytes, done) => {
    take(bytes);
    done();
  });
