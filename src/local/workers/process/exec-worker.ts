import { isUtf8 } from 'node:buffer';
import type { Outcome } from '../../queue/jobs/builtin-handlers.ts';
import type { HandlerStart, HandlerWorker } from '../handlers/handler-worker.ts';
import { numberNotJson, withoutNumbersNotJson } from '../../model/job-output/number-not-json.ts';
import { MAX_OUTPUT_BYTES, outputTooLarge } from '../../model/job-output/output-limit.ts';
import { createPrintedLines } from '../handlers/printed-lines.ts';
import type { EndpointSource } from '../handlers/source.ts';
import { describeEnd, type ProcessEnd, type RunningProcess, type StartProcess } from './port.ts';

/** Lines are those of stderr. */
export interface ExecWorkerOptions extends HandlerStart {
  readonly startProcess: StartProcess;
  readonly monotonic: () => number;
}

/**
 * A worker that runs a command for each job: its stdin is the input, the text that it prints on stdout is the output
 * (JSON when it is valid JSON, otherwise a string), and with an exit code other than 0 the job fails with the last
 * lines of stderr. The variables BERTH_JOB_ID and BERTH_ENDPOINT_ID contain the ids of the job and its endpoint.
 */
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
    stop: () => {
      stopped = true;
      // Not awaited: a command that ignores SIGTERM must not delay the other workers.
      void current?.stop();
      return Promise.resolve();
    },
  };
}

const failed = (end: ProcessEnd, lines: readonly string[]): Outcome => ({
  kind: 'error',
  error: [`the command ${describeEnd(end)}`, ...lines].join('\n'),
});

/**
 * JSON text stays as it was printed, so that its numbers stay exact; an empty text becomes null. What would be JSON without
 * numbers such as NaN is an error, as it is for the other kinds of handlers, and so are bytes that are no text in UTF-8; any
 * other text is a string.
 */
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
