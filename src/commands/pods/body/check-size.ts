import { readRequest } from '../../../core/api.ts';
import { unlessFailed, usage } from '../../../core/failure.ts';
import { asId } from '../../../core/ids.ts';
import { encodeJson, memberAt, objectOf, stringOf, type Json, type JsonObject } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { TEMPLATES } from '../../shared/collections.ts';
import { MAX_CREATE_BYTES } from '../pod/create-refusals.ts';

/** Bytes of a body from which its template is read: a small body and a large template are for the service to refuse. */
const LARGE_BYTES = MAX_CREATE_BYTES / 10;

/** The members that a create takes from its template (contract rules, Pods). */
const FROM_TEMPLATE = ['image', 'args', 'disk', 'ports', 'registry', 'mounts'] as const;

/**
 * Refuses a create that is too large, before it is sent: usage (2). The body counts, and the request that is made of it and
 * its template, where that can be read.
 */
export async function checkSize(ctx: CommandContext, body: JsonObject): Promise<void> {
  const bytes = bytesOf(body);
  if (bytes > MAX_CREATE_BYTES) throw tooLarge(`the request has ${bytes} bytes`);
  const templateId = stringOf(body['templateId']);
  if (templateId === undefined || bytes < LARGE_BYTES) return;
  const path = [...TEMPLATES.path, asId(templateId)];
  const template = (await unlessFailed(ctx, () => ctx.api.send(readRequest(path))))?.value;
  if (template === undefined) return;
  const taken = Object.fromEntries(
    FROM_TEMPLATE.flatMap((member): [string, Json][] => {
      const value = memberAt(template, member);
      return value === undefined ? [] : [[member, value]];
    }),
  );
  const env = { ...objectOf(memberAt(template, 'env')), ...objectOf(body['env']) };
  const together = bytesOf({ ...taken, ...body, env });
  if (together > MAX_CREATE_BYTES) throw tooLarge(`the request and its template have ${together} bytes`);
}

const bytesOf = (body: JsonObject): number => Buffer.byteLength(encodeJson(body));

const tooLarge = (what: string) =>
  usage(
    `${what}, and a create takes at most ${MAX_CREATE_BYTES}: nothing was sent`,
    'Put large values into the image, on a volume or into a secret.',
  );
