import { beginBatch } from '../../../batch/store/open-batch.ts';
import { copyPath, newCopyPath, rememberedPath } from '../../../batch/store/file-names.ts';
import { inputName, type InputShape } from '../../../batch/input/item.ts';
import { describeBad } from '../../../batch/input/read-items.ts';
import { LOCAL_SERVICE, type BatchHeader } from '../../../batch/store/journal/record.ts';
import { survey, type Survey } from '../../../batch/input/check-input.ts';
import { writeWhole } from '../../../batch/store/write-file.ts';
import { usage } from '../../../core/failure.ts';
import { asId } from '../../../core/ids.ts';
import { encodeJson, memberAt, type Json } from '../../../core/json.ts';
import { formatBytes } from '../../../core/units.ts';
import type { CommandContext } from '../../../cli/context.ts';
import { sendTo } from '../../../cli/resource/identify.ts';
import { countOf } from '../../../cli/words.ts';
import { json, text } from '../../../output/layout/cells.ts';
import { memberHeader } from '../../../cli/resource/detail-lines.ts';
import type { Result, View } from '../../../output/view.ts';
import type { RunValues } from './flags.ts';
import { driveBatch } from '../../../batch/run-to-end.ts';
import { mustBeNew, resultsPath } from '../../../batch/store/results-path.ts';
import { readThrough } from '../../../batch/input/read-input.ts';
import { BOUNDS, extras, inBounds } from '../../../queue/policy.ts';
import { ENDPOINTS, queueGet, queuePost } from '../command-lines.ts';

/**
 * Checks all of an input, begins a batch and runs it. Fails with usage (2) before anything is sent, with local-file (14)
 * where there is a batch or results already, with whatever the endpoint's health answers, and as driveBatch does.
 */
export async function runNew(ctx: CommandContext, values: RunValues): Promise<Result> {
  inBounds('--execution-timeout', values.executionTimeout, BOUNDS.executionTimeout);
  inBounds('--ttl', values.ttl, BOUNDS.ttl);
  const durable = await ctx.durable();
  const others = encodeJson(extras({ ...values, webhook: undefined })).slice(1, -1);
  const shape: InputShape = {
    path: values.input,
    format: (values.inputFormat ?? (/\.[ct]sv$/i.test(values.input) ? 'csv' : 'jsonl')) as InputShape['format'],
    ...(values.inputField === undefined ? {} : { inputField: values.inputField }),
    ...(values.idField === undefined ? {} : { idField: values.idField }),
    extras: others === '' ? '' : `,${others}`,
  };
  const out = await resultsPath(durable, values.out);
  if (values.input === '') throw usage('--input is the name of no file', 'Name a file, or - for stdin.');
  const given = await durable.resolve(values.input);
  // Standard input or a pipe can be read once, and a batch is read twice, and may have to go on.
  const copied = values.input === '-' || given.kind === 'other';
  // Once more under the lock; before it, so that a dry run says the same, and no lock is taken for what is refused.
  await mustBeNew(durable, out, copied, ctx.settings.local);
  if (ctx.dryRun) {
    const found = await checked(readThrough(ctx, durable, values.input), shape, values.skipInvalid);
    return await dryRun(ctx, values.endpoint, shape, found);
  }
  const input = copied ? copyPath(out) : values.input;
  // The file itself: a link such as /dev/stdin leads elsewhere tomorrow.
  const remembered = rememberedPath(durable.absolute(out), durable.absolute(copied ? input : given.path));
  const look = (path: string): Promise<Survey> => checked(readThrough(ctx, durable, path), shape, values.skipInvalid);
  let found: Survey | undefined;
  const batch = await beginBatch(
    durable,
    out,
    async () => {
      await mustBeNew(durable, out, copied, ctx.settings.local);
      if (copied) await writeWhole(durable, newCopyPath(out), readThrough(ctx, durable, values.input));
      found = await look(copied ? newCopyPath(out) : input);
      const header = await headerOf(ctx, values, shape, found, remembered);
      // Whoever pipes it in may take long, and others make files meanwhile.
      if (copied) await mustBeNew(durable, out, copied, ctx.settings.local);
      return header;
    },
    copied,
  );
  if (found === undefined) throw new Error('a batch began without its header');
  for (const line of leftOut(shape.path, found)) await ctx.tell(line);
  return await driveBatch(ctx, durable, out, batch, { path: input, fingerprint: found.fingerprint }, values);
}

/** How many of the bad items that are left out are named one by one. */
const NAMED = 10;

/** What --skip-invalid leaves out, one line each. */
function leftOut(path: string, { invalid, bad }: Survey): readonly string[] {
  if (invalid === 0) return [];
  const named = bad.slice(0, NAMED);
  return [
    `${countOf(invalid, 'item')} left out: ${invalid === 1 ? 'it' : 'they'} cannot be sent.`,
    ...named.map((item) => describeBad(path, item)),
    ...(invalid > named.length ? [`and ${String(invalid - named.length)} more`] : []),
  ];
}

/** Asks for the endpoint. Gives what a batch remembers; its input was found so, and is remembered as `path`. */
async function headerOf(
  ctx: CommandContext,
  values: RunValues,
  shape: InputShape,
  { planned, invalid, fingerprint: { bytes, sha256 } }: Survey,
  path: string,
): Promise<BatchHeader> {
  // Whether it is there, and the key good for it, is known before the first job.
  const { id: endpointId } = await sendTo(ctx, ENDPOINTS, values.endpoint, (id) => queueGet(id, ['health']));
  const { extras: beside, ...input } = shape;
  return {
    version: 1,
    endpoint: values.endpoint,
    endpointId,
    service: await serviceOf(ctx),
    input: { ...input, path, bytes, sha256 },
    extras: beside,
    planned,
    invalid,
    ordered: values.ordered,
    // eslint-disable-next-line no-restricted-syntax -- a date, for the journal
    createdAt: ctx.clock.now(),
  };
}

/** Where the queue API is, as a batch remembers it: never with a key. */
export async function serviceOf(ctx: CommandContext): Promise<string> {
  const { url } = await ctx.api.preview({ service: 'queue', method: 'GET', path: ['v2'] });
  return ctx.settings.local ? LOCAL_SERVICE : url;
}

/** Reads all of the input. Fails with usage (2), line and column, where something in it cannot be sent, or nothing can. */
async function checked(pieces: AsyncIterable<Uint8Array>, shape: InputShape, skipInvalid: boolean): Promise<Survey> {
  const found = await survey(pieces, shape);
  const { planned, invalid } = found;
  if (invalid > 0 && (planned === 0 || !skipInvalid)) {
    const [first, ...rest] = found.bad.map((bad) => describeBad(shape.path, bad));
    const more = invalid - found.bad.length;
    const others = planned === 0 ? ', and there are no others' : '';
    throw usage(
      `${countOf(invalid, 'item')} cannot be sent${others}; nothing was sent. ${first ?? ''}`,
      [
        ...rest,
        ...(more > 0 ? [`and ${String(more)} more`] : []),
        planned === 0 ? 'Correct them.' : 'Correct them, or leave them out with --skip-invalid.',
      ].join('\n'),
    );
  }
  if (planned === 0)
    throw usage(
      `${inputName(shape.path)} holds nothing to send`,
      shape.format === 'csv' ? 'Below the header, each row is a job.' : 'The input is a job a line.',
    );
  return found;
}

const dryRunView: View = {
  noun: ['batch', 'batches'],
  id: () => '',
  columns: ['planned', 'invalid', 'readInputBytes', 'bodyBytes', 'largestBody'].map((name) => ({
    header: memberHeader(name),
    show: text(name),
    right: true,
  })),
  detail: (row) => [
    {
      lines: [
        { label: 'items', value: text('planned')(row) },
        { label: 'invalid', value: text('invalid')(row) },
        { label: 'to send', value: formatBytes(Number(text('bodyBytes')(row))) },
        { label: 'largest', value: formatBytes(Number(text('largestBody')(row))) },
        { label: 'first', value: json('first')(row) },
      ],
    },
  ],
};

/** Counts, sizes, and the first request as it would go out. */
async function dryRun(ctx: CommandContext, endpoint: string, shape: InputShape, found: Survey): Promise<Result> {
  const body = { raw: found.first?.body ?? new Uint8Array(0) };
  const first = await ctx.api.preview(queuePost(asId(endpoint), ['run'], { body }));
  const value: Json = {
    input: shape.path,
    planned: found.planned,
    invalid: found.invalid,
    readInputBytes: found.fingerprint.bytes,
    bodyBytes: found.bodyBytes,
    largestBody: found.largestBody,
    first: { method: first.method, url: first.url, headers: { ...first.headers }, body: first.body ?? null },
  };
  const known = memberAt(value, 'invalid') === 0 ? [] : found.bad.map((bad) => describeBad(shape.path, bad));
  return { kind: 'one', view: dryRunView, value, notes: known };
}
