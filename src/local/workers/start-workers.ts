import { isUtf8 } from 'node:buffer';
import {
  MAX_OUTPUT_BYTES,
  numberNotJson,
  type Outcome,
  outputTooLarge,
  withoutNumbersNotJson,
} from '../queue/job-output.ts';
import {
  describeEnd,
  type EndpointSource,
  type HandlerStart,
  type HandlerWorker,
  type ProcessEnd,
  type RunningProcess,
  type StartProcess,
  type Workers,
  type WorkersOptions,
} from './handlers.ts';
import { createPrintedLines } from './printed-lines.ts';
import { createRunner } from './runner.ts';
import { createSupervisor } from './supervisor.ts';
import { startHandlerThread } from './thread.ts';

interface ExecWorkerOptions extends HandlerStart {
  readonly startProcess: StartProcess;
  readonly monotonic: () => number;
}

/** Input on stdin, output on stdout. A non-zero exit fails the job with the last lines of stderr. */
export function startExecWorker(
  { command, cwd }: Extract<EndpointSource, { kind: 'exec' }>,
  { startProcess, monotonic, env, onLine }: ExecWorkerOptions,
): HandlerWorker {
  let current: RunningProcess | undefined;
  let stopped = false;
  const isStopped = (): boolean => stopped;
  return {
    get stopped() {
      return stopped;
    },
    run: async ({ id, endpointId, input }) => {
      const pieces: Uint8Array[] = [];
      let length = 0;
      const messages = createPrintedLines(monotonic, onLine);
      if (isStopped()) return undefined;
      current = startProcess({
        command,
        cwd,
        env: { ...env, BERTH_JOB_ID: id, BERTH_ENDPOINT_ID: endpointId },
        input,
        onStdout: (bytes) => {
          length += bytes.byteLength;
          if (length <= MAX_OUTPUT_BYTES) pieces.push(bytes);
        },
        onStderr: messages.add,
      });
      const end = await current.ended;
      messages.end();
      if (isStopped()) return undefined;
      if (end.code !== 0) return failed(end, messages.tail());
      if (length > MAX_OUTPUT_BYTES) return { kind: 'error', error: outputTooLarge(length) };
      return outcomeOf(Buffer.concat(pieces));
    },
    stop: async () => {
      stopped = true;
      await current?.stop();
    },
  };
}

const failed = (end: ProcessEnd, lines: readonly string[]): Outcome => ({
  kind: 'error',
  error: [`the command ${describeEnd(end)}`, ...lines].join('\n'),
});

/** JSON text stays as printed: exact numbers. Empty is null; NaN or invalid UTF-8 is an error. */
function outcomeOf(bytes: Buffer): Outcome {
  if (!isUtf8(bytes)) return { kind: 'error', error: 'the output is not UTF-8' };
  const printed = bytes.toString();
  const text = printed.trim();
  if (text === '') return { kind: 'output', text: 'null' };
  if (isJson(text)) return { kind: 'output', text };
  const wrong = numberNotJson(text);
  if (wrong !== undefined && isJson(withoutNumbersNotJson(text)))
    return { kind: 'error', error: `the output is not JSON: it has ${wrong}` };
  return { kind: 'output', text: JSON.stringify(printed.replace(/\r?\n$/, '')) };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function startWorkers(options: WorkersOptions): Workers {
  const { monotonic, startProcess = cannotStart } = options;
  const hasCommands = Object.values(options.sources).some(({ kind }) => kind === 'command');
  const runner = createRunner({
    ...options,
    startWorker: (source, start) =>
      source.kind === 'module'
        ? startHandlerThread(source, monotonic, start)
        : startExecWorker(source, { ...start, startProcess, monotonic }),
  });
  const supervisor = hasCommands ? createSupervisor(options, startProcess) : undefined;
  return {
    sync: async () => {
      await supervisor?.sync();
      await runner.sync();
    },
    stop: async () => {
      await Promise.all([supervisor?.stop(), runner.stop()]);
    },
  };
}

const cannotStart: StartProcess = () => {
  throw new Error('no processes can be started here');
};
