import { usage } from '../core/failure.ts';
import { certainMs } from '../queue/not-there-yet.ts';
import { timeToLive } from '../queue/submission.ts';
import { findInputs } from './plan/find-inputs.ts';
import type { WholeInput } from './plan/whole-inputs.ts';
import { fingerprintFile, verifiedItems } from './plan/input-file.ts';
import type { BatchLimits, BatchPorts, BatchView } from './ports.ts';
import type { BatchReport } from './results/report/report-types.ts';
import { runToEnd, type VerifiedInput } from './run-to-end.ts';
import { inputCandidates } from './stores/file/file-names.ts';
import type { BatchHeader } from './stores/file/journal/record.ts';
import { replayJournal } from './stores/file/journal/replay.ts';
import { recoverBatch } from './stores/file/recover-batch.ts';
import type { Resubmit } from './stores/file/resubmit-items.ts';
import { mustExist, resolveResultsPath } from './stores/file/results-path.ts';
import { checkStoredInputs, storedInputItems, storedInputName, storedInputs } from './stored-inputs.ts';

export interface ResumeOptions {
  /** Path of the results file. */
  readonly results: string;
  /** Where the inputs are, when they were moved: all of them, in the order of the batch. */
  readonly input?: readonly string[];
  /** Returns the address of the queue API in use. */
  readonly service: () => Promise<string>;
  /** True when the service is the same although its address changed. */
  readonly moved: boolean;
  /** Items to send again as new jobs; none by default. */
  readonly resubmit?: Resubmit | undefined;
  readonly limits: BatchLimits;
}

/**
 * Resumes a batch and runs it to its end. Fails with usage (2) when the address or the input differs from that of the
 * batch; no file was changed then. Also fails as `recoverBatch` and `runToEnd` do.
 */
export async function resumeBatch(ports: BatchPorts, options: ResumeOptions, view: BatchView): Promise<BatchReport> {
  const { durable } = ports;
  const path = await resolveResultsPath(durable, options.results);
  await mustExist(durable, path);
  const { header } = await replayJournal(durable, path);
  const service = await options.service();
  if (service !== header.service && !options.moved)
    throw usage(
      `this batch was begun at ${header.service}, and the address in use is ${service}`,
      'Use the settings it was begun with. If it is the same service, give the same command with --moved.',
    );
  const input = await verifyInput(ports, path, header, options.input);
  const batch = await recoverBatch(durable, path, {
    wantFailed: (options.limits.retryFailed ?? 0) > 0,
    // eslint-disable-next-line no-restricted-syntax -- a date of the journal
    expiredSince: ports.clock.now() - certainMs({ ttlMs: timeToLive(header.extras) }),
    resubmit: options.resubmit,
    signal: ports.signal,
  });
  await view.onRepaired?.(batch.repairs);
  return await runToEnd(ports, path, batch, input, options.limits, view);
}

/** Returns the input of a batch, which may be several. `moved` is where they are, when they were moved. Fails with usage (2). */
async function verifyInput(
  ports: BatchPorts,
  results: string,
  header: BatchHeader,
  moved: readonly string[] = [],
): Promise<VerifiedInput> {
  const stored = storedInputs(results, header.input);
  if (stored === undefined) {
    const [first, ...others] = moved;
    if (others.length > 0) throw usage('this batch has one input', 'Give --input once.');
    return await findInput(ports, first === undefined ? inputCandidates(results, header.input) : [first], header);
  }
  const inputs = moved.length === 0 ? stored : await movedInputs(ports, stored, moved);
  await checkStoredInputs(ports, inputs);
  return {
    path: storedInputName(results, header.input) ?? '',
    items: storedInputItems(ports, inputs, header.input, header.extras),
  };
}

/** Returns the inputs of a batch at their new addresses, which may be globs. Fails with usage (2) for another number. */
async function movedInputs(
  ports: BatchPorts,
  stored: readonly WholeInput[],
  moved: readonly string[],
): Promise<readonly WholeInput[]> {
  const found = await findInputs(ports, moved);
  if (found.length !== stored.length)
    throw usage(
      `--input names ${String(found.length)} of the ${String(stored.length)} inputs of this batch`,
      'Name all of them, in the order in which the batch was begun with them.',
    );
  return stored.map((input, position) => ({
    ...input,
    object: { ...input.object, address: found[position]?.address ?? '' },
  }));
}

/**
 * Returns the first candidate that is the input of the batch. Items are identified by their position in the input, so
 * another input would send other items. Fails with usage (2) when there is none.
 */
async function findInput(
  { durable, signal }: BatchPorts,
  candidates: readonly string[],
  { input: identity, extras }: BatchHeader,
): Promise<VerifiedInput> {
  let mismatch: string | undefined;
  for (const path of candidates) {
    if ((await durable.size(path)) === undefined) continue;
    const fingerprint = await fingerprintFile(durable, path, identity, signal);
    if (fingerprint.bytes === identity.bytes && fingerprint.sha256 === identity.sha256)
      return { path, items: verifiedItems(durable, path, fingerprint, { ...identity, extras }) };
    mismatch ??= `the input ${path} is not the one this batch was begun with (${String(identity.bytes)} bytes then, ${String(fingerprint.bytes)} now)`;
  }
  if (mismatch !== undefined) throw usage(mismatch, 'Bring the old one back, or begin a new batch.');
  throw usage(`the input ${candidates[0] ?? ''} is not there`, 'Say where it is now: --input FILE');
}
